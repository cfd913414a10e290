import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// `gate agent unit`
struct AgentUnitCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "unit", abstract: "Print the daemon's units for systemd.",
    discussion: """
      For one user, with the socket in $XDG_RUNTIME_DIR:

        gate agent unit socket > ~/.config/systemd/user/gatehouse-agent.socket
        gate agent unit service > ~/.config/systemd/user/gatehouse-agent.service
        systemctl --user daemon-reload
        systemctl --user enable --now gatehouse-agent.socket

      With --system the daemon runs as a user of its own, its settings are /etc/gatehouse/agent.json, and the socket \
      is /run/gatehouse-agent/agent.socket; the clients of the settings say who may ask.
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case service, socket
  }

  @Argument(help: "service or socket.") var kind: Kind
  @Flag(help: "The units of the whole machine, in place of one user's.") var system = false

  func run() throws {
    let program: String
    do throws(SystemError) { program = try CurrentProcess.executable() } catch {
      throw AuthError(.internalError, "the path of this program is not known: \(error)")
    }
    try StandardOutput.write(line: kind == .socket ? socket : service(of: program))
  }

  private var socket: String {
    """
    [Unit]
    Description=Socket of Gatehouse's token daemon

    [Socket]
    ListenStream=\(system ? "/run/gatehouse-agent/agent.socket" : "%t/gatehouse/agent.socket")
    SocketMode=\(system ? "0666" : "0600")
    DirectoryMode=\(system ? "0755" : "0700")

    [Install]
    WantedBy=sockets.target
    """
  }

  private func service(of program: String) -> String {
    // `%` begins a specifier of systemd's. Without LIBDISPATCH_LOG, each new thread would have a line in the journal:
    // no thread of a confined program may set its priority.
    let start = "\"\(program.replacing("%", with: "%%"))\" agent"
    return """
      [Unit]
      Description=Gatehouse's token daemon
      Requires=gatehouse-agent.socket
      After=gatehouse-agent.socket

      [Service]
      Type=notify
      ExecStart=\(start)
      ExecReload=/bin/kill -HUP $MAINPID
      Restart=on-failure
      RestartSec=1
      WatchdogSec=30
      UMask=0077
      LimitCORE=0
      LimitNOFILE=16384
      Environment=LIBDISPATCH_LOG=NO
      NoNewPrivileges=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallFilter=~@privileged @resources
      SystemCallErrorNumber=EPERM
      \(system ? Self.machine : "")
      [Install]
      WantedBy=\(system ? "multi-user.target" : "default.target")
      Also=gatehouse-agent.socket
      """
  }

  /// A unit of the machine has these lines besides. It has no `PrivateUsers`: the daemon would not see which user asks.
  private static let machine = """
    DynamicUser=yes
    StateDirectory=gatehouse-agent
    StateDirectoryMode=0700
    Environment=GATEHOUSE_HOME=/var/lib/gatehouse-agent/home
    Environment=GATEHOUSE_AGENT_SOCKET=/run/gatehouse-agent/agent.socket
    Environment=XDG_CONFIG_HOME=/etc
    CapabilityBoundingSet=
    AmbientCapabilities=
    PrivateDevices=yes
    PrivateMounts=yes
    PrivateTmp=yes
    ProtectClock=yes
    ProtectControlGroups=yes
    ProtectHome=yes
    ProtectHostname=yes
    ProtectKernelLogs=yes
    ProtectKernelModules=yes
    ProtectKernelTunables=yes
    ProtectSystem=strict
    RemoveIPC=yes

    """
}
