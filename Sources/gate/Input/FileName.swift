import ArgumentParser

/// Checks the name of a file in the arguments. An empty name is wrong usage: most likely a variable of the shell is not
/// set.
func fileName(_ argument: String) throws -> String {
  guard !argument.isEmpty else { throw ValidationError("it is empty; give a file's name") }
  return argument
}
