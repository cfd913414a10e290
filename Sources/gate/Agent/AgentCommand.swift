import ArgumentParser

/// `gate agent`
struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", abstract: "Keep tokens fresh, and lend them to the programs of this machine.",
    usage: "gate agent [--config <file>] [--socket <path>] [--home <dir>] [<subcommand>]",
    discussion: """
      Without a subcommand it is the daemon: it stays in the foreground, keeps a fresh token of each account in memory \
      and lends it over a Unix socket, as HTTP and JSON. The other commands ask it.

        gate agent login mail ada@example.com
        gate agent &
        gate agent token mail
        curl --unix-socket "$XDG_RUNTIME_DIR/gatehouse/agent.socket" http://agent/v1/accounts/mail/token

      The socket is $GATEHOUSE_AGENT_SOCKET; else agent/agent.socket in the home, if --home or $GATEHOUSE_HOME names \
      one; else gatehouse/agent.socket in $XDG_RUNTIME_DIR, or else in the home of the user. Without rules in the \
      settings only programs of the daemon's own user, and root's, are answered.
      """,
    subcommands: [
      AgentRunCommand.self, AgentLoginCommand.self, AgentLogoutCommand.self, AgentTokenCommand.self,
      AgentListCommand.self, AgentStatusCommand.self, AgentExecCommand.self, AgentCheckCommand.self,
      AgentReloadCommand.self, AgentUnitCommand.self, AgentMakeKeyCommand.self,
    ],
    defaultSubcommand: AgentRunCommand.self)
}
