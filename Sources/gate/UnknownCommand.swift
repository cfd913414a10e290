import ArgumentParser
import GatehouseBase

/// A name in the arguments that should be a command and is not, with the command that was probably meant.
struct UnknownCommand {
  let name: String
  /// The command that has no subcommand of this name, such as `gate` or `gate sessions`.
  let parent: String
  let usage: String
  let suggestion: String?

  var message: String { "Error: \(reason)\nUsage: \(usage)" }

  var reason: String {
    let advice = suggestion.map { "did you mean '\($0)'?" } ?? "'\(parent) --help' lists the commands"
    return "there is no command '\(name.shown)'; \(advice)"
  }

  /// Finds the first name in the arguments that should be a command and is not. `help` is followed by names of commands
  /// too.
  static func first(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownCommand? {
    var rest = names(in: arguments)
    if rest.first == "help" { rest = rest.dropFirst() }
    if rest.first == "help" { return nil }
    var command = root
    var parent = root.configuration.commandName ?? "gate"
    while !command.configuration.subcommands.isEmpty, let name = rest.popFirst(), !name.hasPrefix("-") {
      guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == name }) else {
        return UnknownCommand(name, before: rest.first, of: parent, command)
      }
      command = next
      parent += " \(name)"
    }
    return nil
  }

  /// The arguments without the options that may be before the first command.
  static func names(in arguments: [String]) -> ArraySlice<String> {
    var rest = arguments[...]
    while let first = rest.first, let option = ["--home", "--backend"].first(where: { first.isOption($0) }) {
      rest = rest.dropFirst(first == option ? 2 : 1)
    }
    return rest
  }

  private init(_ name: String, before next: String?, of parent: String, _ command: any ParsableCommand.Type) {
    let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
    self.name = name
    self.parent = parent
    usage = Gate.usageString(for: command)
    // `gate user` is asked for the signed-in user, and `gate user list` for all.
    if parent == "gate", ["import", "export"].contains(name), next?.isAccountsFile == true {
      suggestion = "users \(name)"
      return
    }
    if name == "user", let next,
      UsersCommand.configuration.subcommands.contains(where: { $0.configuration.commandName == next })
    {
      suggestion = "users \(next)"
      return
    }
    if let meant = Self.otherNames[name.lowercased().filter { $0 != "-" && $0 != "_" }], names.contains(meant) {
      suggestion = meant
      return
    }
    suggestion = name.lowercased().nearest(of: names)
  }

  /// The names that other programs use for these commands, without hyphens.
  private static let otherNames = [
    "login": "sign-in", "logon": "sign-in", "signin": "sign-in", "auth": "sign-in", "logout": "sign-out",
    "logoff": "sign-out", "signout": "sign-out", "register": "sign-up", "signup": "sign-up", "passwd": "password",
    "user": "whoami", "status": "whoami", "id": "whoami", "check": "verify", "validate": "verify", "inspect": "decode",
    "print": "decode", "gen": "generate", "new": "generate", "create": "generate", "export": "backup",
    "import": "restore", "mfa": "second-factors", "2fa": "second-factors", "totp": "second-factors",
    "ls": "list", "rm": "delete", "remove": "delete", "add": "create", "forgot": "reset-password",
    "reset": "reset-password", "logins": "sessions",
  ]
}

extension String {
  /// Whether the name is that of a file with accounts.
  fileprivate var isAccountsFile: Bool { hasSuffix(".json") || hasSuffix(".csv") }

  /// Whether the argument is this option, either with its value (`--name=value`) or without it.
  fileprivate func isOption(_ name: String) -> Bool { self == name || hasPrefix(name + "=") }
}
