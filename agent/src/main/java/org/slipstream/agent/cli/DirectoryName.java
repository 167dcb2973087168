package org.slipstream.agent.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The value of {@code --dir}; an empty one would be the current directory, which no user means. */
final class DirectoryName implements ITypeConverter<String> {
  DirectoryName() {}

  @Override
  public String convert(String value) {
    if (value.isBlank()) {
      throw new TypeConversionException("it is empty; leave it out for the default");
    }
    return value;
  }
}
