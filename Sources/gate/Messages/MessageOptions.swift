import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseLocal

/// Where a command's message goes. The message is the command's answer, unless the user names a mail program. Whoever
/// can write to the home is an administrator of its provider, and learns nothing new from the message.
struct MessageOptions: ParsableArguments {
  @Option(
    name: .customLong("sendmail"),
    help: ArgumentHelp("Hand the message to this mail program, as sendmail -t -i.", valueName: "program"),
    completion: .file(), transform: fileName)
  var program: String?

  @Option(name: .customLong("from"), help: ArgumentHelp("Whom the message comes from.", valueName: "address"))
  var sender: String?

  func validate() throws {
    if (program == nil) != (sender == nil) { throw ValidationError("--sendmail and --from go together") }
  }

  /// Refuses a mail program of the user for the messages of a server.
  func check(_ home: Home) throws {
    guard let server = home.server, program != nil else { return }
    throw ValidationError("\(server.name) sends its messages itself; leave --sendmail and --from out")
  }

  /// Requests a message, and writes it, or where it has gone. A server given with `--backend` sends its messages
  /// itself.
  ///
  /// - Parameters:
  ///   - address: the address that the message is for.
  ///   - command: the command that takes the link.
  ///   - ask: asks the backend for the message.
  func write(
    to address: String, _ home: Home, _ answer: AnswerOptions, takenBy command: String = "gate apply-code",
    asking ask: (Auth) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    guard let server = home.server else {
      let sent = messages
      try await home.withSession(delivery: sent, ask)
      return try write(try sent.last, answer, takenBy: command)
    }
    try await home.withSession(ask)
    try answer.write(
      "asked \(server.name) to send the message to \(address.shown)",
      json: ["to": .string(address), "askedServer": .string(server.name)])
  }

  private var messages: Messages {
    guard let program, let sender else { return Messages(mail: nil) }
    return Messages(mail: SendmailDelivery(program: program, from: sender))
  }

  /// Writes the message, or where it has gone.
  private func write(
    _ message: OutgoingMessage, _ answer: AnswerOptions, takenBy command: String
  ) throws(AuthError) {
    var json: JSONObject = [
      "to": .string(message.recipient), "subject": .string(message.subject), "mailed": .bool(program != nil),
    ]
    if let program {
      return try answer.write("handed to \(program): \(message.subject), to \(message.recipient.shown)", json: json)
    }
    json["text"] = .string(message.text.revealed)
    json["link"] = .string(message.link.revealed)
    let text = """
      Hand this on; \(command) takes the link.

      To: \(message.recipient.shown)
      Subject: \(message.subject.shown)

      \(message.text.revealed)
      """
    try answer.write(text, json: json)
  }
}
