import FoundationEssentials
import GatehouseBase
import GatehouseHTTP
import IdentityToolkit

/// The request of a call.
struct Question {
  let request: TransportRequest
  /// The address that the call is about, for its error.
  let email: String?

  /// Makes the request of a call.
  ///
  /// - Throws: `.invalidArgument` for a call that cannot be written as JSON; `.operationNotAllowed` for an endpoint
  ///   that belongs to neither of the server's two services.
  init<C: Call>(
    _ call: C, to server: RESTServer, on device: Secret?, from sender: Sender, _ options: RESTOptions
  ) throws(AuthError) {
    guard var members = try? JSONObject(encoding: call) else {
      throw AuthError(.invalidArgument, "the call \(C.endpoint) cannot be written as JSON")
    }
    email = members["email"]?.string ?? members["identifier"]?.string
    var query: [(name: String, value: String)] = []
    if case .app(let key) = sender { query.append(("key", key)) }
    var endpoint = C.endpoint
    if C.self is any AdminCall.Type {
      endpoint = sender.path(of: endpoint, inTenant: members["tenantId"]?.string)
      members["tenantId"] = nil
    }
    var body: [UInt8]?
    var type = "application/json"
    if let call = call as? any ResourceCall {
      let id = call.id.map { "/" + FormEncoding.escaped($0) } ?? ""
      endpoint = endpoint.replacing("{resources}", with: call.kind.collection + id)
      query += call.query
      body = call.document?.serialized()
    } else if C.method == .get {
      query += Self.items(members)
    } else if C.endpoint.hasPrefix(RESTServer.tokenHost) {
      body = Array(FormEncoding.encode(Self.items(members)).utf8)
      type = "application/x-www-form-urlencoded"
    } else {
      body = members.serialized()
    }
    guard let url = server.url(of: endpoint) else { throw .unsupported(C.self) }
    var request = TransportRequest(
      TransportRequest.Method(rawValue: C.method.name) ?? .post, Self.url(url, query),
      headers: ["Accept": "application/json"], body: body, timeout: options.timeout)
    if body != nil { request.headers["Content-Type"] = type }
    if case .administrator(_, let token) = sender { request.headers["Authorization"] = "Bearer \(token.revealed)" }
    if case .app = sender, server != .google {
      request.headers[DeviceField.name] = device?.revealed ?? Self.newDevice
    }
    if let locale = (call as? any LocalizedCall)?.locale { request.headers["X-Firebase-Locale"] = locale }
    for field in options.headers.fields { request.headers[field.name] = field.value }
    self.request = request
  }

  /// What a device without a cookie sends, to be given one.
  private static let newDevice = "new"

  private static func url(_ url: String, _ query: [(name: String, value: String)]) -> String {
    query.isEmpty ? url : url + "?" + FormEncoding.encode(query)
  }

  private static func items(_ members: JSONObject) -> [(name: String, value: String)] {
    members.members.compactMap { member in
      switch member.value {
      case .string(let text): (member.name, text)
      case .bool(let flag): (member.name, flag ? "true" : "false")
      case .number(let number): (member.name, number.description)
      default: nil
      }
    }
  }
}
