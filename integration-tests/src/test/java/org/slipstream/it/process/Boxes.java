package org.slipstream.it.process;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Network.Ipam;
import com.github.dockerjava.api.model.Network.Ipam.Config;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.testkit.Patience;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;

/**
 * The containers of one test, on a network of their own. Each has the JDK, the agent and the test
 * classes mounted, and runs any number of {@link Peer}s.
 */
final class Boxes implements BeforeEachCallback, AfterEachCallback {
  private static final String JDK = "/opt/jdk";
  private static final String AGENT = "/opt/slipstream/slipstream.jar";
  private static final String CLASSES = "/opt/slipstream/classes";
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-XX:-UsePerfData");

  /**
   * The first process of a container: passes SIGTERM on to all others and ends after them, so that
   * a container that is stopped ends its programs as if each were the first process of its own.
   */
  private static final String INIT =
      "trap 'kill -TERM -1; while kill -0 -1; do sleep 0.1; done; exit' TERM;"
          + " while :; do sleep 3600 & wait $!; done";

  /** SIGQUIT to every JVM of a container, which says its stacks on standard output. */
  private static final String SHOW_STACKS =
      "for p in /proc/[0-9]*; do"
          + " case $(readlink $p/exe) in */java) kill -QUIT ${p#/proc/};; esac; done";

  private static final int MOST_TRIES = 10;
  private static final long AGAIN_MS = 200;

  private final Children children;
  private final List<Box> boxes = new ArrayList<>();
  private Network network = Network.SHARED;

  Boxes(Children children) {
    this.children = children;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    String subnet = "10.213." + ThreadLocalRandom.current().nextInt(256) + ".0/24";
    network =
        Network.builder()
            .createNetworkCmdModifier(
                // Its own subnet, so that a container can come back with the address it had.
                command -> command.withIpam(new Ipam().withConfig(new Config().withSubnet(subnet))))
            .build();
    network.getId(); // made now
  }

  @Override
  public void afterEach(ExtensionContext context) {
    closeAll();
    network.close();
  }

  /** Ends all containers of the test, as is done after it. */
  void closeAll() {
    boxes.forEach(box -> box.container.close());
    boxes.clear();
  }

  /** Starts a container; the settings are applied to its host configuration. */
  Box start(Consumer<HostConfig> settings) throws Exception {
    return start(command -> settings.accept(host(command)), "0:0");
  }

  /** Starts a container for another user. */
  Box startAs(String user, Consumer<HostConfig> settings) throws Exception {
    return start(command -> settings.accept(host(command)), user);
  }

  private static HostConfig host(CreateContainerCmd command) {
    return Objects.requireNonNull(command.getHostConfig());
  }

  @SuppressWarnings({"resource", "deprecation"}) // closed after each test; binds are what is meant
  private Box start(Consumer<CreateContainerCmd> settings, String user) throws Exception {
    GenericContainer<?> container =
        new GenericContainer<>(DockerImageName.parse(Engine.image()))
            .withNetwork(network)
            .withFileSystemBind(System.getProperty("java.home"), JDK, BindMode.READ_ONLY)
            .withFileSystemBind(Children.JAR.toString(), AGENT, BindMode.READ_ONLY)
            .withFileSystemBind(Children.classes(), CLASSES, BindMode.READ_ONLY)
            .withCommand("/bin/sh", "-c", INIT)
            .withCreateContainerCmdModifier(settings)
            .withCreateContainerCmdModifier(command -> command.withUser(user));
    if (Engine.hasOwnImage()) {
      container.withImagePullPolicy(image -> false);
    }
    container.start();
    Box box = new Box(container);
    boxes.add(box);
    return box;
  }

  /** One container. */
  final class Box {
    private final GenericContainer<?> container;

    private Box(GenericContainer<?> container) {
      this.container = container;
    }

    String id() {
      return container.getContainerId();
    }

    /** What it was made of, as the engine knows it. */
    String image() {
      return container.getContainerInfo().getConfig().getImage();
    }

    /** Its address on the network of the test. */
    String address() {
      return container
          .getCurrentContainerInfo()
          .getNetworkSettings()
          .getNetworks()
          .values()
          .iterator()
          .next()
          .getIpAddress();
    }

    /** A JVM with the agent. */
    Peer accelerated(String... flags) throws Exception {
      List<String> all = new ArrayList<>(List.of("-javaagent:" + AGENT));
      all.addAll(List.of(flags));
      return plain(all.toArray(String[]::new));
    }

    /** A JVM on which nothing of ours is switched on, unless the flags do it. */
    Peer plain(String... flags) throws Exception {
      List<String> command =
          new ArrayList<>(List.of("docker", "exec", "-i", id(), JDK + "/bin/java"));
      command.addAll(JVM);
      command.addAll(List.of(flags));
      command.addAll(List.of("-cp", CLASSES, PeerProgram.class.getName()));
      return children.launch(command).withStacksBy(() -> run(SHOW_STACKS)).awaitReady();
    }

    /** All streams of the processes that share a runtime directory. */
    List<StreamLine> streams(String... ps) throws Exception {
      List<String> command =
          new ArrayList<>(
              List.of(JDK + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
      command.addAll(List.of("-jar", AGENT, "ps", "--json"));
      command.addAll(List.of(ps));
      return StreamLine.parse(
          container.execInContainer(command.toArray(String[]::new)).getStdout());
    }

    /** Runs a command of the shell, and returns what it said, whatever its exit code. */
    String run(String command) throws Exception {
      ExecResult result = container.execInContainer("/bin/sh", "-c", command);
      return result.getStdout() + result.getStderr();
    }

    /** What {@code slipstream doctor} says here. */
    String doctor(String... flags) throws Exception {
      List<String> command =
          new ArrayList<>(
              List.of(JDK + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
      command.addAll(List.of(flags));
      command.addAll(List.of("-jar", AGENT, "doctor"));
      ExecResult result = container.execInContainer(command.toArray(String[]::new));
      return result.getStdout() + result.getStderr();
    }

    // -- faults ----------------------------------------------------------------------------------

    /** On a loaded machine the engine may give up before all threads stand still. */
    void pause() throws InterruptedException {
      for (int tries = 1; ; tries++) {
        try {
          docker().pauseContainerCmd(id()).exec();
          return;
        } catch (InternalServerErrorException e) {
          if (tries == MOST_TRIES || !String.valueOf(e.getMessage()).contains("unable to freeze")) {
            throw e;
          }
          Thread.sleep(AGAIN_MS);
        }
      }
    }

    void unpause() {
      docker().unpauseContainerCmd(id()).exec();
    }

    void kill() {
      docker().killContainerCmd(id()).withSignal("KILL").exec();
    }

    /** SIGTERM to all its programs, and SIGKILL only for those that do not listen. */
    void stop() {
      docker()
          .stopContainerCmd(id())
          .withTimeout(Math.toIntExact(Patience.DEADLINE.toSeconds()))
          .exec();
    }

    void disconnect() {
      docker()
          .disconnectFromNetworkCmd()
          .withNetworkId(network.getId())
          .withContainerId(id())
          .exec();
    }

    /** At the same address as before. */
    void reconnect(String address) {
      ContainerNetwork again =
          new ContainerNetwork()
              .withIpamConfig(new ContainerNetwork.Ipam().withIpv4Address(address));
      docker()
          .connectToNetworkCmd()
          .withNetworkId(network.getId())
          .withContainerId(id())
          .withContainerNetwork(again)
          .exec();
    }

    private static DockerClient docker() {
      return DockerClientFactory.instance().client();
    }
  }

  /** Mounts a directory of this machine's tmpfs as {@code /shared}. */
  static Consumer<HostConfig> sharing(Path directory) {
    return host -> {
      List<Bind> binds = new ArrayList<>(List.of(Objects.requireNonNull(host.getBinds())));
      binds.add(Bind.parse(directory + ":/shared"));
      host.withBinds(binds);
    };
  }
}
