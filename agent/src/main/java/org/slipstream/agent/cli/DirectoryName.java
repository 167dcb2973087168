package org.slipstream.agent.cli;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.HostSettings;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.transport.MessageCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The value of {@code --dir}; an empty one would be the current directory, which no user means. */
final class DirectoryName implements ITypeConverter<String> {
  DirectoryName() {}

  /** What processes of this host use that were told nothing else on their command line. */
  static @Nullable String orOfHost(@Nullable String dir) {
    if (dir != null) {
      return dir;
    }
    try {
      HostSettings.apply();
    } catch (SlipstreamConfig.InvalidConfigException e) {
      System.err.println(
          MessageCode.COMMAND_FAILED.line(
              String.valueOf(e.getMessage()))); // they are off; others may have been started before
    }
    return System.getProperty("slipstream.dir");
  }

  @Override
  public String convert(String value) {
    if (value.isBlank()) {
      throw new TypeConversionException("it is empty; leave it out for the default");
    }
    return value;
  }
}
