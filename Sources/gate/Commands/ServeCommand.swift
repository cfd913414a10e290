import ArgumentParser
import GatehouseBase
import GatehouseConfiguration
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import GatehouseSystem
import Logging

/// `gate serve`
struct ServeCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the home's provider over HTTP, as Firebase Auth's servers do.",
    discussion: """
      Clients of Firebase Auth find all their calls below the address that is printed, which is where they look for an \
      emulator. The settings are the provider's own (gate provider settings); a home without a provider gets one. \
      Messages to people are written to the folder outbox of the home, unless the settings say otherwise.

      With --emulator the server allows what Firebase's emulator allows: unsigned custom tokens, credentials of \
      identity providers that nothing has checked, "Authorization: Bearer owner" as the administrator, and the codes \
      of messages for every client to read. Every client can sign in as every user: for tests and development only. \
      So an emulator has a home of its own, the folder emulator of the user's home, and no other server opens that of \
      an emulator. Only this machine reaches it, and only this machine's web pages may use it.

      With --exec it runs the command after --, with FIREBASE_AUTH_EMULATOR_HOST and GCLOUD_PROJECT set for it, and \
      ends with the command's exit status when that ends:

        gate serve --emulator --exec -- npm test

      With --import it begins with accounts that Firebase's emulator has exported, with their passwords; the home's \
      own accounts are deleted. With --export-on-exit it writes the same files when it ends:

        gate serve --emulator --import seed --export-on-exit

      It serves plain HTTP, for this machine or a proxy that ends TLS, unless there is a --tls-certificate. That and \
      its key are read again when they change, and at SIGHUP; files that cannot be used change nothing.

      SIGTERM and SIGINT, and SIGHUP without TLS, end it with status 0, when the requests that have come are answered; \
      a second one does not wait for them, and a third one not for an export either.
      """)

  @Option(help: ArgumentHelp("The address to listen at. (default: 127.0.0.1)", valueName: "address")) var host: String?
  @Option(help: ArgumentHelp("The port; 0 for one that is free. (default: 9099)", valueName: "number"))
  var port: Int?
  @Option(
    help: ArgumentHelp("Listen at a Unix socket instead.", valueName: "path"), completion: .file())
  var socket: String?
  @Option(
    help: ArgumentHelp("Serve HTTPS with the certificates of this PEM file.", valueName: "file"), completion: .file())
  var tlsCertificate: String?
  @Option(
    help: ArgumentHelp("The key of --tls-certificate, a PEM file.", valueName: "file"), completion: .file())
  var tlsKey: String?
  @Flag(help: "Allow what Firebase's emulator allows: for tests and development only.") var emulator = false
  @Flag(help: "With --emulator: leave tokens unsigned, as Firebase's does. Its Admin SDK for Node takes no others.")
  var unsignedTokens = false
  @Flag(help: "With --emulator: let other machines reach it, which can then sign in as every user.")
  var exposeEmulator = false
  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      "Let web pages of this origin use the server, in place of https:// and each of authorizedDomains; * for all. With "
        + "--emulator: as well as this machine's.",
      valueName: "url"))
  var allowedOrigins: [String] = []
  @Flag(help: "Let public web pages of an allowed origin reach the server in a private network.")
  var allowPrivateNetwork = false
  @Option(
    help: ArgumentHelp(
      "With --emulator: the project of calls that name none. Others are made when they are named first.",
      valueName: "name"))
  var project: String?
  @Option(
    name: .customLong("api-key"),
    help: ArgumentHelp("Take this API key, and no other that is not given. Without one, any.", valueName: "key"))
  var apiKeys: [String] = []
  @Option(help: ArgumentHelp("Where clients reach the server, if a proxy is before it.", valueName: "url"))
  var publicURL: String?
  @Option(
    help: ArgumentHelp(
      "The proxies whose X-Forwarded-For is believed: how many are before the server, or their networks.",
      valueName: "proxies"))
  var trustedProxies: String?
  @Option(
    help: ArgumentHelp("Take this many requests a second of one address. Without it, any number.", valueName: "number"))
  var rateLimit: Double?
  @Option(
    help: ArgumentHelp("With --rate-limit: how many may come at once. Ten seconds' worth.", valueName: "number"))
  var rateBurst: Int?
  @Flag(help: "Show figures for Prometheus at /metrics, to every client.") var metrics = false
  @Option(
    help: ArgumentHelp("Show them at an address of their own, and not to clients.", valueName: "host:port"))
  var metricsAddress: String?
  @Option(
    name: .customLong("ready-fd"),
    help: ArgumentHelp("Write the address to this descriptor when clients may come.", valueName: "number"))
  var readyDescriptor: Int?
  @Flag(help: "With --emulator: run the command after --, and end with its status when it ends.") var exec = false
  @OptionGroup var export: ExportOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions
  @Argument(parsing: .postTerminator, help: "With --exec: the command and its arguments.") var command: [String] = []

  func validate() throws {
    guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port must be from 0 to 65535") }
    guard host != "", socket != "" else { throw ValidationError("--host and --socket must name something") }
    guard socket == nil || (host == nil && port == nil) else {
      throw ValidationError("a --socket has neither a host nor a port: leave --host and --port out")
    }
    try validateEmulator()
    guard (tlsCertificate == nil) == (tlsKey == nil), tlsCertificate != "", tlsKey != "" else {
      throw ValidationError("--tls-certificate and --tls-key name a file each, and need each other")
    }
    guard !apiKeys.contains("") else { throw ValidationError("--api-key must not be empty") }
    if let rateLimit, !(0.001...1_000_000).contains(rateLimit) {
      throw ValidationError("--rate-limit must be from 0.001 to 1000000")
    }
    if let rateBurst, rateLimit == nil || rateBurst < 1 {
      throw ValidationError("--rate-burst must be at least 1, and needs --rate-limit")
    }
    do throws(AuthError) { _ = try proxies } catch { throw ValidationError("--trusted-proxies: \(error.message)") }
    if let metricsAddress {
      guard !metrics else { throw ValidationError("give one of --metrics and --metrics-address") }
      guard ServerAddress(hostAndPort: metricsAddress) != nil else {
        throw ValidationError("--metrics-address must be a host and a port: 127.0.0.1:9100")
      }
    }
    if let readyDescriptor, Self.inherited(readyDescriptor)?.isForWriting != true {
      throw ValidationError(
        "--ready-fd \(readyDescriptor) is no descriptor that this program may write to: open it in the shell, as in "
          + "gate serve --ready-fd 3 3> address")
    }
    if let publicURL {
      guard publicURL.hasPrefix("http://") || publicURL.hasPrefix("https://"), !publicURL.hasSuffix("/") else {
        throw ValidationError("--public-url must begin with http:// or https://, and not end with /")
      }
    }
  }

  private var givenHost: String { host ?? "127.0.0.1" }

  private func validateEmulator() throws {
    guard emulator else {
      guard !exposeEmulator, !unsignedTokens, project == nil, !exec, !export.areGiven else {
        throw ValidationError(
          "--expose-emulator, --unsigned-tokens, --project, --exec, --import and --export-on-exit need --emulator")
      }
      var options = ServerOptions()
      options.allowedOrigins = allowedOrigins
      do throws(AuthError) { try options.checkOrigins() } catch {
        throw ValidationError("--allow-origin: \(error.message)")
      }
      guard command.isEmpty else { throw ValidationError("a command needs --emulator and --exec") }
      return
    }
    guard !allowPrivateNetwork else {
      throw ValidationError("an emulator is reached from private networks anyway: leave --allow-private-network out")
    }
    guard exec == !command.isEmpty else {
      throw ValidationError("--exec and a command need each other: gate serve --emulator --exec -- npm test")
    }
    guard !exec || socket == nil else { throw ValidationError("--exec needs a port, and --socket has none") }
    guard project.map(EmulatorProject.isName) ?? true else {
      throw ValidationError(
        "--project must be 1 to 63 letters, digits, hyphens, underscores and periods, and begin with no period")
    }
    for origin in allowedOrigins {
      let isPlain = origin.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      guard isPlain, origin.contains("://"), !origin.hasSuffix("/") else {
        throw ValidationError("--allow-origin must be a scheme and a host: https://app.test, capacitor://localhost")
      }
    }
    let address = try? HTTPOrigin(of: "\(ServerAddress.host(givenHost, port: max(port ?? 1, 1)))")
    guard socket != nil || exposeEmulator || address?.isLoopback == true else {
      throw ValidationError(
        "an emulator lets every client sign in as every user, and listens at 127.0.0.1, ::1 or localhost only; if other "
          + "machines are to reach it at \(givenHost.printable()), add --expose-emulator")
    }
  }

  func run() async throws {
    let served = exec ? try ServedCommand(command) : nil
    let seed = try export.source?.read()
    var home = try home.home()
    if emulator, self.home.folder.path == nil { home = try home.ofEmulator() }
    if !emulator { StandardError.forbidCoreDumps() }
    try home.requireOwn()
    let logger = Logger(label: "gate serve") { _ in MessageLog { StandardError.say($0) } }
    raiseDescriptorLimit()
    var options = ServerOptions()
    (options.apiKeys, options.publicURL, options.logger) = (apiKeys, publicURL, logger)
    options.trustedProxies = try proxies
    let figuresAddress = metricsAddress.flatMap { ServerAddress(hostAndPort: $0) }
    options.metrics = metrics || figuresAddress != nil ? PrometheusMetrics() : nil
    options.showsMetrics = metrics
    options.rateLimit = rateLimit.map { RateLimit(requestsPerSecond: $0, burst: rateBurst) }
    var settings = try await home.settings(ofEmulator: emulator, signingTokens: !unsignedTokens)
    settings.logger = logger
    let configured = settings.projectID
    if emulator {
      settings.projectID = project ?? settings.projectID
      options.emulatorProjects = home.emulatorProjects(settings)
      (options.emulator, options.emulatorOrigins) = (settings.keepMessages(), allowedOrigins)
    } else {
      options.allowedOrigins = allowedOrigins.isEmpty ? nil : allowedOrigins
      options.permitsPrivateNetwork = allowPrivateNetwork
    }
    let provider = home.backend(settings, beginsProvider: true, opensAnyHome: false)
    let address = socket.map { ServerAddress.unix(path: $0) } ?? .host(givenHost, port: port ?? 9099)
    let identity = IdentityServer(provider, options: options)
    let server = HTTPServer(
      identity, at: address, tls: tls,
      metrics: options.metrics ?? MetricsSystem.factory, logger: logger)

    let (ends, end) = AsyncStream<Void>.makeStream()
    let signals = EndSignals([.interrupt, .terminate] + (tls == nil ? [.hangUp] : [])) {
      end.yield(())
    } again: { [target = export.target] count in
      served?.terminate()
      guard let target else { return true }
      // A second signal does not cost the export, and a third one says that it does.
      let folder = target.path.printable()
      guard count > 2 else {
        StandardError.say("the accounts are being exported to \(folder); a further signal ends this without an export")
        return false
      }
      StandardError.say("ended by a signal: the accounts were not exported to \(folder)")
      return true
    }
    defer { signals.cancel() }
    let reloads = tls.map { _ in reload(server, at: [.hangUp]) }
    defer { reloads?.cancel() }
    let figures = figuresAddress.flatMap { address in
      options.metrics.map { HTTPServer($0, at: address, logger: logger) }
    }
    try await provider.open()
    if emulator { try await home.nameProject(provider.audience, of: provider, configured: configured) }
    if let seed {
      for note in try await seed.replaceAccounts(of: provider) { StandardError.say(note) }
      StandardError.say("the accounts are those of \((export.importFolder ?? "").printable())")
    }
    if let shown = try await figures?.start() { StandardError.say("figures are at \(shown)/metrics") }
    let bound = try await server.start()
    try announce(bound, provider)
    // After the messages of the start, which come in the order of the answer.
    StandardError.waitForNoReader()
    defer { StandardError.finish() }
    if case .host(let host, let port) = bound {
      let host = host.contains(":") ? "[\(host)]" : host
      try served?.start("\(host):\(port)", project: provider.audience) { end.yield(()) }
    }
    for await _ in ends { break }
    served?.terminate()
    let status = await served?.status ?? ExitStatus.done
    tell("STOPPING=1")
    try await server.stop()
    try await figures?.stop()
    await identity.closeProjects()
    if let target = export.target { try target.write(try await EmulatorData(of: provider)) }
    try await provider.close()
    if status != ExitStatus.done { throw ExitCode(status) }
  }

  /// Lets the process open as many descriptors as the server may have connections.
  private func raiseDescriptorLimit() {
    do throws(SystemError) { try DescriptorLimit.raise(to: HTTPLimits().connections + 1024) } catch {
      StandardError.say("the limit of file descriptors stays what it is: \(error)")
    }
  }

  private var tls: TLSFiles? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSFiles(certificate: tlsCertificate, key: tlsKey)
  }

  private func reload(_ server: HTTPServer, at signals: [Signal]) -> SignalWatch {
    SignalWatch(signals) { _ in
      Task {
        do throws(AuthError) { try await typed { try await server.reloadCertificate() } } catch {
          StandardError.say("the certificate stays what it was: \(error.message)")
        }
      }
    }
  }

  private var proxies: TrustedProxies {
    get throws(AuthError) {
      guard let trustedProxies else { return .none }
      if let count = Int(trustedProxies), (0...16).contains(count) { return .count(count) }
      return try typed {
        try .networks(trustedProxies.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
      }
    }
  }

  /// Reports that clients can connect, and at which address.
  private func announce(_ address: ServerAddress, _ provider: LocalBackend) throws {
    let clients = tls == nil ? "\(address)" : address.secureDescription
    if emulator {
      StandardError.say("an emulator: every client can sign in as every user and read every code")
    } else if case .host(let host, _) = address, tls == nil, publicURL?.hasPrefix("https://") != true {
      let isLoopback = (try? HTTPOrigin(of: "\(address)"))?.isLoopback == true
      if !isLoopback {
        StandardError.say(
          "without TLS, passwords and tokens cross the network in clear text to \(host.printable()): give "
            + "--tls-certificate and --tls-key, or --public-url https://… of a proxy that ends TLS")
      }
    }
    if !exec { StandardError.say("the project is \(provider.audience)") }
    if exec {
      // The standard output is the command's.
      StandardError.say("the emulator is at \(clients), project \(provider.audience)")
    } else {
      try answer.write(
        clients,
        json: [
          "address": .string(clients), "project": .string(provider.audience), "emulator": .bool(emulator),
        ])
    }
    if let readyDescriptor {
      do throws(SystemError) { try Self.inherited(readyDescriptor)?.write(Array("\(clients)\n".utf8)) } catch {
        throw AuthError(.storeFailed, "--ready-fd \(readyDescriptor) could not be written: \(error)")
      }
    }
    tell("READY=1")
  }

  private static func inherited(_ number: Int) -> InheritedDescriptor? {
    InheritedDescriptor(path: "/dev/fd/\(number)")
  }

  /// Tells the service manager, if there is one.
  private func tell(_ state: String) {
    do throws(SystemError) { try ServiceManager.tell(state) } catch {
      StandardError.say("the service manager could not be told \(state): \(error)")
    }
  }
}

extension Home {
  /// The provider's settings for clients other than the person at the terminal.
  fileprivate func settings(
    ofEmulator isEmulator: Bool, signingTokens: Bool
  ) async throws(AuthError) -> LocalOptions {
    var base = LocalOptions()
    if isEmulator {
      base.actAsEmulator(signingTokens: signingTokens)
      base.projectID = try projectName() ?? base.projectID
    } else {
      base.delivery = FileDelivery(folder: outbox)
      base.signUpThrottle = Throttle(attempts: 100, window: .seconds(3600))
      base.networkMessageThrottle = Throttle(attempts: 20, window: .seconds(3600))
    }
    return try await settingsInForce(over: base).options
  }
}

extension ServerAddress {
  /// Reads an address such as `127.0.0.1:9100` or `[::1]:9100`.
  fileprivate init?(hostAndPort text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self = .host(String(host), port: Int(port))
  }
}
