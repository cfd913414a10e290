import ArgumentParser
import GatehouseBase

/// `--json`, for every command with an answer that programs may read.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Write the answer as one line of JSON.")
  var asJSON = false

  /// Writes the answer in the form for people or for programs.
  func write(_ text: String, json: JSONObject) throws(AuthError) {
    try StandardOutput.write(line: asJSON ? "\(json)".withHiddenEscapes : text.printable)
  }
}
