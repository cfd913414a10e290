import ArgumentParser

/// `gate provider`
struct ProviderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provider", abstract: "Back up, restore and examine the home's identity provider.",
    discussion: """
      A backup is one file with all accounts and keys of one moment, made while other programs use the provider. It \
      holds private keys and password hashes: keep it as you keep those. tar shows what is inside.
      """,
    subcommands: [
      ProviderBackupCommand.self, ProviderRestoreCommand.self, ProviderSettingsCommand.self,
    ])
}
