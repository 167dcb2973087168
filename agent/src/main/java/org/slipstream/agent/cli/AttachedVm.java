package org.slipstream.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;

/** The one class that needs the module {@code jdk.attach}, which a runtime image may not have. */
final class AttachedVm {
  /** In which the agent says what became of it. */
  private static final String OUTCOME_PROPERTY = "org.slipstream.attach";

  private AttachedVm() {}

  /**
   * Loads the agent into a process.
   *
   * @param pid the process
   * @param jar of the agent
   * @param arguments of the agent
   * @return what the process says became of it, or why it could not be done
   */
  static String load(String pid, String jar, String arguments) {
    try {
      VirtualMachine vm = VirtualMachine.attach(pid);
      try {
        vm.loadAgent(jar, arguments);
        return vm.getSystemProperties()
            .getProperty(OUTCOME_PROPERTY, "it did not say what became of the agent");
      } finally {
        vm.detach();
      }
    } catch (AgentLoadException | AgentInitializationException e) {
      return "it does not load the agent: " + e.getMessage();
    } catch (AttachNotSupportedException | IOException e) {
      return "it can not be attached to: " + e.getMessage();
    }
  }
}
