package org.slipstream.benchmarks.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * The content of a file that a command wrote with {@code --json}.
 *
 * @param name of the file, without its end
 * @param command that wrote it
 * @param remark its whole command line, the day, and the machine
 * @param rows what it measured
 */
record Measured(String name, String command, String remark, List<JSONObject> rows) {
  static Measured read(Path file) throws IOException {
    JSONObject json;
    try {
      json = new JSONObject(Files.readString(file));
    } catch (JSONException malformed) {
      throw new IllegalArgumentException(
          file + " is not JSON: " + malformed.getMessage(), malformed);
    }
    JSONArray array = json.optJSONArray("rows");
    String command = json.optString("command", "");
    if (array == null || array.isEmpty() || command.isEmpty()) {
      throw new IllegalArgumentException(
          file
              + " has no rows of a command: write it with the --json of a command of ./slipstream.");
    }
    List<JSONObject> rows = new ArrayList<>();
    for (int i = 0; i < array.length(); i++) {
      if (array.optJSONObject(i) == null) {
        throw new IllegalArgumentException(file + " has a row that is not an object.");
      }
      rows.add(array.getJSONObject(i));
    }
    String name = String.valueOf(file.getFileName()).replaceFirst("\\.json$", "");
    return new Measured(name, command.split(" ", -1)[0], remark(json, command), rows);
  }

  /** The same with some of the rows. */
  Measured with(Predicate<JSONObject> which) {
    return new Measured(name, command, remark, rows.stream().filter(which).toList());
  }

  private static String remark(JSONObject json, String command) {
    return "./slipstream %s · %s, %d cores, Java %s"
        .formatted(
            command,
            json.optString("date", "no date"),
            json.optInt("cores"),
            json.optString("java", "not known"));
  }
}
