package org.slipstream.agent.fabric;

import java.util.List;

/**
 * What a program of others measured between the two ends.
 *
 * @param command as it ran here
 * @param passed whether it ended as it should
 * @param result a few words
 * @param output the end of what it said
 */
record Beside(String command, boolean passed, String result, List<String> output) {}
