import ArgumentParser

/// The name of a file in the arguments. An empty one is wrong usage: a shell's variable that is not set, most likely.
func fileName(_ argument: String) throws -> String {
  guard !argument.isEmpty else { throw ValidationError("it is empty; give a file's name") }
  return argument
}
