public import GatehouseBase

/// The caller of the provider, as known to a server that passes on the calls of its clients.
public struct Caller: Sendable, Hashable {
  /// The client's network address, as text. Failures are counted for the IPv4 address, or for the first 64, 56 and 48
  /// bits of the IPv6 address; for other text, they are counted for the text. A server behind a proxy must ensure that
  /// clients cannot choose it.
  public var address: String?
  /// The cookie of the client's device, from `LocalBackend.deviceCookie(forIDToken:)`.
  public var device: Secret?
  /// Whether the caller has shown an administrator's credential, which every `AdminCall` requires.
  public var isAdministrator = false

  /// The administrator's credential, for the audit log; `nil` for a caller without one, and for a program that holds
  /// the provider itself.
  package var credential: AdministratorCredential?

  /// Whether `address` is of many clients, such as a proxy that has not named its client.
  package var isShared = false

  /// Makes a caller with the given values.
  public init(address: String? = nil, device: Secret? = nil) {
    self.address = address
    self.device = device
  }

  /// The client's network, for which its failures and its messages are counted: one client may use all of its addresses.
  var network: String? { networks.first?.text }

  /// A network of the caller.
  struct Network: Sendable, Hashable {
    let text: String
    /// The factor by which the network's limit exceeds that of `Caller.network`.
    let share: Int
  }

  /// The client's networks, the largest one last: `NetworkAddress.networks` as text.
  var networks: [Network] {
    guard let address else { return [] }
    guard let parsed = NetworkAddress(address) else { return [Network(text: address, share: 1)] }
    return parsed.networks.map { network in
      let isWhole = network.prefix.count == parsed.bytes.count
      let text = isWhole ? parsed.clientText : parsed.text(ofFirst: network.prefix.count * 8)
      return Network(text: text, share: network.share)
    }
  }

  /// The party of the caller among those who wait for a thread: an IPv4 address, or a site of IPv6, which has at least
  /// 48 bits of its own. Administrators and programs that hold the provider itself are one party, and callers without
  /// an address another one.
  var party: String {
    guard !isAdministrator else { return "administrators" }
    guard let address else { return "" }
    guard let bytes = NetworkAddress(address)?.bytes else { return address }
    return bytes.prefix(bytes.count == 4 ? 4 : 6).map { String($0) }.joined(separator: ".")
  }

  /// The networks that a sign-up or a message is counted for, and that have shares; none if the address is unknown,
  /// shared, or of this machine, and none of an administrator.
  var limitedNetworks: [Network] {
    guard !isShared, !isAdministrator, let address, NetworkAddress(address)?.isLoopback != true else { return [] }
    return networks
  }

  /// A caller that has shown an administrator's credential.
  static let administrator: Caller = {
    var caller = Caller()
    caller.isAdministrator = true
    return caller
  }()

  /// The caller whose call is being answered.
  @TaskLocal static var current = Caller()

  /// Runs work that answers this caller, on this thread.
  ///
  /// - Parameter trace: the trace that the work leaves as an administrator's; `nil` for none.
  func answering<Value>(
    tracedBy trace: AuditTrace? = nil, _ work: () throws(AuthError) -> Value
  ) -> Result<Value, AuthError> {
    Self.$current.withValue(self) {
      guard let trace else { return Result { () throws(AuthError) in try work() } }
      return AuditTrace.$current.withValue(trace) { Result { () throws(AuthError) in try work() } }
    }
  }
}
