import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseSystem

/// `gate agent make-key FILE`
struct AgentMakeKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-key", abstract: "Make a key to encrypt the sessions with.",
    discussion: """
      The file is new, and only its owner can read it (0600). It has 32 random bytes as base64. Name it in the \
      settings: {"encryptionKeyFile": "/path"}. With a list of two files the first one is used, and sessions that are \
      still under the second one can be read. Without the key the sessions cannot be read by any program.
      """)

  @Argument(help: "The file to make.", completion: .file(), transform: fileName) var file: String
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let key = try StoreKey.random()
    try FileOutput.write(new: key.revealedFile, to: file, .ownerOnly)
    try answer.write("\(file): the key \(key.id)", json: ["file": .string(file), "key": .string(key.id)])
  }
}
