import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// Asks a person to confirm, before something is deleted for good.
enum Confirmation {
  /// Asks on the terminal, and throws unless the answer is `yes`.
  static func ask(_ question: String) throws {
    guard let terminal = Terminal() else { throw ValidationError("there is no terminal to ask: \(question) Use --yes") }
    let typed: [UInt8]
    do throws(SystemError) { typed = try terminal.line("\(question) Type yes: ") } catch {
      throw AuthError(.invalidArgument, "the terminal cannot be used (\(error)); use --yes")
    }
    guard typed == Array("yes\n".utf8) else { throw AuthError(.cancelled, "the answer was not yes; nothing was done") }
  }
}
