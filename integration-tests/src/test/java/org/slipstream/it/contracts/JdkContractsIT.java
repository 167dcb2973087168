package org.slipstream.it.contracts;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever these programs ask of the JDK's socket APIs, the answers do not depend on Slipstream.
 */
class JdkContractsIT {

  @ParameterizedTest
  @ValueSource(
      classes = {
        ProxyProgram.class,
        OptionProgram.class,
        AddressFamilyProgram.class,
        ModuleProgram.class,
        SocketProgram.class,
        SocketStreamProgram.class,
        ServerSocketProgram.class,
        ChannelProgram.class,
        AdaptorProgram.class,
        ListenerProgram.class,
        SelectorProgram.class,
        AsynchronousProgram.class,
        AsynchronousGroupProgram.class
      })
  void theAgentChangesNoAnswer(Class<?> program) throws Exception {
    SameAsStock.check(program, SameAsStock.agent(), List.of());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OptionProgram.class,
        AddressFamilyProgram.class,
        ModuleProgram.class,
        ChannelProgram.class,
        AdaptorProgram.class,
        ListenerProgram.class,
        SelectorProgram.class,
        AsynchronousProgram.class,
        AsynchronousGroupProgram.class
      })
  void thePropertyChangesNoAnswer(Class<?> program) throws Exception {
    SameAsStock.check(program, SameAsStock.property(), List.of());
  }

  /** Most of these streams are too young for a link: here they are joined when they connect. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        SocketProgram.class,
        SocketStreamProgram.class,
        ChannelProgram.class,
        AdaptorProgram.class,
        SelectorProgram.class,
        AsynchronousProgram.class,
        AsynchronousGroupProgram.class
      })
  void norDoesALinkFromTheFirstByte(Class<?> program) throws Exception {
    List<String> eager = new ArrayList<>(List.of("-Dslipstream.test.eager=200"));
    eager.addAll(SameAsStock.agent());
    SameAsStock.check(program, eager, List.of());
  }

  @Test
  void norDoTheyWhereThereIsIpv4Only() throws Exception {
    List<String> ipv4 = List.of("-Djava.net.preferIPv4Stack=true");
    SameAsStock.check(AddressFamilyProgram.class, SameAsStock.agent(), ipv4);
    SameAsStock.check(AddressFamilyProgram.class, SameAsStock.property(), ipv4);
  }

  /** A small runtime image, without the module in which {@code sun.misc.Unsafe} is. */
  @Test
  void norDoesThePropertyWhereThereIsNothingButJavaBase() throws Exception {
    List<String> small = List.of("--limit-modules=java.base", "--enable-native-access=ALL-UNNAMED");
    SameAsStock.check(AddressFamilyProgram.class, SameAsStock.property(), small);
    SameAsStock.check(AsynchronousGroupProgram.class, SameAsStock.property(), small);
  }

  /** As the setting says that is wrong: everything is the JDK's own, in one line. */
  @Test
  void aSocketThatIsPlainBecauseOfAWrongSettingAsksTheProxySelector() throws Exception {
    SameAsStock.checkOff(
        ProxyProgram.class, SameAsStock.agent(), List.of("-Dslipstream.no.such.setting=1"));
  }
}
