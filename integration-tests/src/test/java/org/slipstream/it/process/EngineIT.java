package org.slipstream.it.process;

import org.junit.jupiter.api.Nested;

/**
 * What needs a container engine, in one JVM: one that the tests have started ends with its JVM.
 * Each class runs by itself as well, by name: {@code -Dit.test=ContainersIT}.
 */
class EngineIT {
  @Nested
  class Containers extends ContainersIT {}

  @Nested
  class ContainerFaults extends ContainerFaultsIT {}

  @Nested
  class Dockerfile extends DockerfileIT {}

  @Nested
  class PublishedPorts extends PublishedPortsIT {}
}
