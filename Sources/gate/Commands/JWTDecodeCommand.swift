import ArgumentParser
import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// `gate jwt decode [TOKEN]`
struct JWTDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Show what a token says of itself. Nothing is verified.",
    discussion: """
      For people on a terminal: header and claims, with times in words. In a pipe, or with --json, one line of JSON \
      {"header": …, "claims": …, "verified": false}, and the warning on standard error. Of an encrypted token only the \
      header can be read. To know whether a token is good, there is gate verify.
      """)

  @Argument(help: "The token; read from standard input when it is not given.") var token: String?
  @OptionGroup var answer: AnswerOptions

  func run() throws {
    let anatomy = try TokenAnatomy(try TokenInput.token(token))
    guard !answer.asJSON, InheritedDescriptor.output.isTerminal else {
      StandardError.say(anatomy.warning)
      return try StandardOutput.write(line: anatomy.line)
    }
    let columns = max(InheritedDescriptor.output.columns ?? 80, 20)
    let outline = Outline(now: SystemClocks().wall, columns: columns)
    var lines = [anatomy.warning.fitted(to: columns), "", "header"] + outline.lines(of: anatomy.header)
    if let claims = anatomy.claims { lines += ["", "claims"] + outline.lines(of: claims) }
    try StandardOutput.write(line: lines.joined(separator: "\n").printable)
  }
}
