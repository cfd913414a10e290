import ArgumentParser

/// The argument parser's completion scripts offer nothing after `gate help`. This adds the names of commands.
enum CompletionScript {
  /// Returns the parser's script, in which `gate help` completes commands. Another text is returned as it is.
  static func completingHelp(_ script: String) -> String {
    if script.hasPrefix("#!/bin/bash") {
      return script.withHelp { commands in "COMPREPLY+=($(compgen -W '\(commands)' -- \"${cur}\"))" }
    }
    if script.hasPrefix("#compdef gate") { return script.withHelp { commands in "compadd -- \(commands)" } }
    return script.contains("complete -c 'gate'") ? script + "\n" + fish.joined(separator: "\n") : script
  }

  /// The commands that have subcommands, each with the words that name it after `gate`, and its subcommands' names.
  fileprivate static let groups = subcommands(of: Gate.self, named: [])

  private static func subcommands(
    of command: any ParsableCommand.Type, named words: [String]
  ) -> [(words: [String], subcommands: String)] {
    let shown = command.configuration.subcommands.compactMap { next in
      next.configuration.shouldDisplay ? next.configuration.commandName.map { (name: $0, command: next) } : nil
    }
    guard !shown.isEmpty else { return [] }
    return [(words, shown.map(\.name).joined(separator: " "))]
      + shown.flatMap { subcommands(of: $0.command, named: words + [$0.name]) }
  }

  private static var fish: [String] {
    groups.map { words, subcommands in
      let typed = (["help"] + words).joined(separator: " ")
      let isTyped = "set -l words (commandline -opc)[2..]; test \"$words\" = \"\(typed)\""
      return "complete -c 'gate' -n '\(isTyped)' -fa '\(subcommands)'"
    }
  }
}

extension String {
  /// Replaces what the function for `gate help` does, in the script for bash or zsh: it offers the commands after the
  /// words that are typed.
  fileprivate func withHelp(offering offer: (_ commands: String) -> String) -> String {
    guard let begin = ranges(of: "\n_gate_help() {\n").first?.upperBound,
      let end = self[begin...].ranges(of: "\n}\n").first?.lowerBound
    else { return self }
    let isBash = hasPrefix("#!/bin/bash")
    let typed = isBash ? "${COMP_WORDS[*]:1:COMP_CWORD-1}" : "${(j: :)words[1,CURRENT-1]}"
    let cases = CompletionScript.groups.map { words, commands in
      "    '\((["help"] + words).joined(separator: " "))') \(offer(commands)) ;;\n"
    }
    return replacingCharacters(in: begin..<end, with: "    case \"\(typed)\" in\n\(cases.joined())    esac")
  }

  private func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
