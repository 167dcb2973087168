package org.slipstream.it.programs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A measurement of each real program: its title, and the name of its class in this package. */
@ParameterizedTest
@CsvSource({
  "JDK HttpServer and HttpClient, HttpServerProgram",
  "RMI, RmiProgram",
  "H2 and its JDBC driver, H2Program",
  "Jetty and HttpClient, JettyProgram",
  "Tomcat (NIO) and HttpClient, TomcatProgram",
  "Apache MINA SSHD, SshProgram"
})
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface EachProgram {}
