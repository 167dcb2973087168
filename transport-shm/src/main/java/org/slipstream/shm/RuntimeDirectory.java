package org.slipstream.shm;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;

/**
 * Where the processes of one user find each other.
 *
 * <pre>
 *   $XDG_RUNTIME_DIR/slipstream, /run/user/UID/slipstream  or  /dev/shm/slipstream-UID
 *                                      0700, ours, no symbolic link
 *     BOOT-NETNS/                      one kernel start, one network namespace
 *       PROCESS/                       16 hexadecimal digits of the process id
 *         ctl                          its control socket
 *         slab-N                       a slab that the peer has not mapped yet
 *         region-N                     one-sided memory, as long as it is exported
 *       port-PORT/
 *         PROCESS-ADDRESS              "this process listens there"; empty
 *       owner-NAME/
 *         PROCESS-                     "this process is the owner of memory of that name"; empty
 * </pre>
 *
 * <p>Containers may share the directory although each has a network namespace of its own: then a
 * client looks for a peer at a foreign address in the scopes of its neighbours. The same addresses
 * may exist in two of them: then the peer has to prove the path ({@code PathBeacon} in the core).
 *
 * <p>An entry whose control socket refuses connections belongs to a dead process and is swept.
 */
final class RuntimeDirectory {
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path NET_NAMESPACE = Path.of("/proc/self/ns/net");
  private static final int BOOT_DIGITS = 8;

  /** Of a process that listens. */
  private static final String SOCKET = "ctl";

  /** Of one that begins to; as long as the other one, because paths of sockets have a limit. */
  static final String NEW_SOCKET = "new";

  private static final String PORT = "port-";
  private static final String OWNER = "owner-";

  /** Names of processes in the directory. */
  static final int NAME_DIGITS = 16;

  private final Path base;
  private final Path scope;
  private final Path own;
  private final String name;

  private RuntimeDirectory(Path base, Path scope, String name) {
    this.base = base;
    this.scope = scope;
    this.name = name;
    this.own = scope.resolve(name);
  }

  /** The directory that is to be used now; it may be another one after a login or a logout. */
  static Path locate(@Nullable String configured) throws IOException {
    return RuntimeLocation.here().find(configured, System.getenv("XDG_RUNTIME_DIR"));
  }

  static RuntimeDirectory open(@Nullable String configured, ProcessId id) throws IOException {
    Path base = locate(configured);
    if (configured != null
        && !Files.isDirectory(base.getParent() == null ? base : base.getParent())) {
      throw new IOException(
          "slipstream.dir=" + configured + ": its parent directory does not exist");
    }
    makePrivate(base);
    Path scope = base.resolve(scopeName());
    makePrivate(scope);
    RuntimeDirectory dir =
        new RuntimeDirectory(base, scope, id.toString().substring(0, NAME_DIGITS));
    makePrivate(dir.own);
    return dir;
  }

  private static String scopeName() throws IOException {
    String boot = Files.readString(BOOT_ID).strip().substring(0, BOOT_DIGITS);
    return boot + "-" + network();
  }

  /** The inode of our network namespace: no two that exist at once have the same. */
  static long network() throws IOException {
    String link = Files.readSymbolicLink(NET_NAMESPACE).toString(); // net:[4026531840]
    return Long.parseUnsignedLong(link.substring(link.indexOf('[') + 1, link.indexOf(']')));
  }

  /**
   * Whether processes of other network namespaces of this kernel (containers) share the directory.
   * The directory of another user is not even listed: it may hold any number of entries.
   */
  static boolean hasNeighbours(@Nullable String configured) throws IOException {
    Path base = locate(configured);
    return objection(base) == null && !neighbours(base, scopeName()).isEmpty();
  }

  /** Whether other processes still find us here, and look for us nowhere else. */
  boolean isCurrent(@Nullable String configured) throws IOException {
    return locate(configured).equals(base) && Files.exists(own.resolve(SOCKET));
  }

  /**
   * Why processes can not meet in a directory, whatever is in it.
   *
   * @return one sentence; null if they can, or could if it existed
   */
  static @Nullable String objection(Path base) {
    try {
      check(base);
      return null;
    } catch (NoSuchFileException e) {
      return null; // the first process makes it
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static List<Path> neighbours(Path base, String own) {
    String boot = own.substring(0, BOOT_DIGITS + 1);
    return children(base).stream()
        .filter(scope -> {
          String name = String.valueOf(scope.getFileName());
          return name.startsWith(boot) && !name.equals(own);
        })
        .toList();
  }

  /** The scopes of the other network namespaces of this kernel. */
  List<Path> neighbours() {
    return neighbours(base, String.valueOf(scope.getFileName()));
  }

  /** Where a peer lives: in our scope, or with a neighbour. */
  private Path homeOf(String process) {
    Path here = scope.resolve(process);
    if (!process.equals(name) && !Files.exists(here)) {
      for (Path neighbour : neighbours()) {
        Path there = neighbour.resolve(process);
        if (Files.exists(there)) {
          return there;
        }
      }
    }
    return here;
  }

  /** Creates a directory for us alone, or checks that it is one. */
  private static void makePrivate(Path dir) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        Files.createDirectory(dir, PosixFilePermissions.asFileAttribute(PRIVATE));
      } catch (FileAlreadyExistsException e) {
        // Checked below: another process of ours, or another user's trap.
      } catch (AccessDeniedException e) {
        throw new IOException(dir + " can not be used by this user; set slipstream.dir", e);
      } catch (NoSuchFileException e) {
        if (attempt < 3 && dir.getParent() != null && Files.isWritable(dir.getParent())) {
          continue; // an exiting sibling removed it at this moment
        }
        throw new IOException(dir + " can not be created: its parent is missing", e);
      }
      try {
        check(dir);
        return;
      } catch (NoSuchFileException e) {
        if (attempt >= 3) {
          throw e;
        }
      }
    }
  }

  private static void check(Path dir) throws IOException {
    PosixFileAttributes a =
        Files.readAttributes(dir, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    int owner = (int) Files.getAttribute(dir, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!a.isDirectory()) {
      throw new IOException(dir + " is not a directory; remove it or set slipstream.dir");
    }
    if (owner != RuntimeLocation.uidOfProcess()) {
      throw new IOException(
          dir + " belongs to " + a.owner().getName() + "; remove it or set slipstream.dir");
    }
    if (!a.permissions().equals(PRIVATE)) {
      throw new IOException(
          dir
              + " has mode "
              + PosixFilePermissions.toString(a.permissions())
              + " and others could look in; make it rwx------ or set slipstream.dir");
    }
  }

  Path own() {
    return own;
  }

  String name() {
    return name;
  }

  Path scope() {
    return scope;
  }

  Path socketOf(String process) {
    return homeOf(process).resolve(SOCKET);
  }

  /** Where our own socket is bound, until it listens. */
  Path newSocket() {
    return own.resolve(NEW_SOCKET);
  }

  Path slabOf(String process, int index) {
    return homeOf(process).resolve("slab-" + index);
  }

  Path regionOf(String process, int index) {
    return homeOf(process).resolve("region-" + index);
  }

  Path port(int port) {
    return scope.resolve(portFolder(port));
  }

  /** Where the marks of listeners on a port are. */
  static String portFolder(int port) {
    return PORT + port;
  }

  /** Where the marks of processes are that own memory by a name. */
  static String ownerFolder(String owner) {
    return OWNER + owner;
  }

  /** The names of the processes of our network namespace that have a mark in a folder. */
  Set<String> marked(String folder) {
    return children(scope.resolve(folder)).stream()
        .map(entry -> String.valueOf(entry.getFileName()))
        .filter(entry -> entry.length() >= NAME_DIGITS)
        .map(entry -> entry.substring(0, NAME_DIGITS))
        .collect(Collectors.toSet());
  }

  /** The marks of listeners on a port: of our network namespace, or of all others. */
  List<Path> marks(int port, boolean here) {
    if (here) {
      return children(port(port));
    }
    return neighbours().stream()
        .flatMap(neighbour -> children(neighbour.resolve("port-" + port)).stream())
        .toList();
  }

  /** The names of the other processes that listen anywhere, in whatever network of this kernel. */
  Set<String> listeners() {
    return Stream.concat(Stream.of(scope), neighbours().stream())
        .flatMap(where -> children(where).stream())
        .filter(folder -> String.valueOf(folder.getFileName()).startsWith(PORT))
        .flatMap(folder -> children(folder).stream())
        .map(entry -> String.valueOf(entry.getFileName()))
        .filter(entry -> entry.length() >= NAME_DIGITS && !entry.startsWith(name))
        .map(entry -> entry.substring(0, NAME_DIGITS))
        .collect(Collectors.toSet());
  }

  /** Creates the mark of a listener. */
  Path announce(int port, String address) throws IOException {
    return announce(portFolder(port), address);
  }

  /** Creates a mark; its folder may vanish at any moment. */
  Path announce(String folder, String what) throws IOException {
    Path marks = scope.resolve(folder);
    Path entry = marks.resolve(name + "-" + what);
    for (int attempt = 0; ; attempt++) {
      makePrivate(marks);
      try {
        return Files.createFile(entry);
      } catch (FileAlreadyExistsException e) {
        return entry; // a second listener of ours on the same address (SO_REUSEPORT)
      } catch (NoSuchFileException e) {
        if (attempt >= 3) {
          throw e;
        }
      }
    }
  }

  /** Removes a mark. */
  void withdraw(String folder, String what) {
    delete(scope.resolve(folder).resolve(name + "-" + what));
    delete(scope.resolve(folder)); // only if it is empty
  }

  /**
   * Removes what is left of a process that is dead for sure, or of our own. The control socket goes
   * last: a process that lives after all looks for that, and then makes everything again.
   */
  void remove(String process) {
    for (Path port : children(scope)) {
      String name = String.valueOf(port.getFileName());
      if (name.startsWith(PORT) || name.startsWith(OWNER)) {
        deleteIn(name, entry -> entry.startsWith(process + "-"));
        delete(port); // only if it is empty
      }
    }
    deleteIn(process, entry -> true);
    delete(scope.resolve(process));
  }

  /**
   * Deletes files in a directory of our scope, and never where a symbolic link leads: containers
   * that share this directory must not reach any other of each other.
   */
  private void deleteIn(String directory, Predicate<String> which) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(scope)) {
      if (all instanceof SecureDirectoryStream<Path> here) { // always so on Linux
        try (SecureDirectoryStream<Path> entries =
            here.newDirectoryStream(Path.of(directory), LinkOption.NOFOLLOW_LINKS)) {
          for (Path entry : entries) {
            Path name = entry.getFileName();
            if (name != null && which.test(name.toString())) {
              deleteFile(entries, name);
            }
          }
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // Gone, or no directory: nothing to delete. Anything else: the next sweep tries again.
      return;
    }
  }

  private static void deleteFile(SecureDirectoryStream<Path> directory, Path name) {
    try {
      directory.deleteFile(name);
    } catch (IOException e) {
      return; // gone already, or a directory that is none of ours
    }
  }

  /** Removes our own entries, and the directories that are empty then. */
  void leave() {
    remove(name);
    delete(scope);
    delete(base);
  }

  static List<Path> children(Path dir) {
    // Neither a directory stream nor another stream of the JDK: the first costs milliseconds.
    String[] names = dir.toFile().list();
    if (names == null) {
      return List.of(); // gone: nothing to see
    }
    List<Path> children = new ArrayList<>(names.length);
    for (String name : names) {
      Path child = child(dir, name);
      if (child != null) {
        children.add(child);
      }
    }
    return children;
  }

  /** Null if the name has other characters than the locale's, and so is none of ours. */
  private static @Nullable Path child(Path dir, String name) {
    try {
      return dir.resolve(name);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // Not empty: entries of another process are in it. Anything else: the next sweep tries again.
      return;
    }
  }
}
