/**
 * Real programs in processes of their own, with the agent and without, and what {@code slipstream
 * ps} says of their streams meanwhile.
 *
 * <pre>
 *   RealProgramsIT   *Program.main("server")  |  *Program.main("client", port)
 *   ProgramsBenchmark  the same | *Program.main("load", port), measured; only when asked by name
 *   CrowdIT          CrowdProgram: ten thousand virtual threads at each end
 *   AgentIT          SocketProgram, started in all the ways in which programs are
 *   Launches         the processes of one test; asks slipstream ps
 * </pre>
 */
package org.slipstream.it.programs;
