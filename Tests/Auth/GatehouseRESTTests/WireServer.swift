import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseREST
import IdentityToolkit

/// A server of the protocol that a transport stands for: it reads each request strictly, has a backend answer it, and
/// writes the answer as Google's servers do.
struct WireServer: HTTPTransport {
  let backend: any Backend

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try typed { try request.check() }
    let parts = request.url.split(separator: "?", maxSplits: 1)
    let endpoint = parts[0].dropFirst("https://".count)
    guard let call = EveryCall.ofClients.first(where: { $0.endpoint == endpoint }) else {
      return fault(404, "NOT_FOUND")
    }
    let query = parts.count > 1 ? String(parts[1]) : ""
    return try await answer(call, request, query)
  }

  private func answer<C: Call>(
    _ type: C.Type, _ request: TransportRequest, _ query: String
  ) async throws(AuthError) -> TransportResponse {
    var items = (try? FormEncoding.decode(query)) ?? []
    guard let key = items.firstIndex(where: { $0.name == "key" && $0.value == "the key" }) else {
      return fault(400, "API key not valid. Please pass a valid API key.")
    }
    items.remove(at: key)
    guard request.method.rawValue == C.method.name else { return fault(405, "METHOD_NOT_ALLOWED") }
    let body = request.body ?? []
    let call: C?
    switch request.headers["Content-Type"] {
    case "application/json"?: call = try? JSONDecoder().decode(C.self, from: Data(body))
    case "application/x-www-form-urlencoded"?:
      call = Self.call(of: (try? FormEncoding.decode(String(decoding: body, as: UTF8.self))) ?? [])
    case nil: call = Self.call(of: items)
    default: call = nil
    }
    guard let call else { return fault(400, "INVALID_ARGUMENT") }
    do throws(AuthError) {
      return response(200, try await backend.answer(call))
    } catch {
      guard let pending = error.pendingSignIn else { return fault(400, error.serverCode ?? "INTERNAL_ERROR") }
      return response(
        200,
        Pending(
          localId: "u", mfaPendingCredential: pending.credential,
          mfaInfo: pending.factors.map(Account.MfaEnrollment.init)))
    }
  }

  private static func call<C: Call>(of items: [(name: String, value: String)]) -> C? {
    let members = Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
    return try? JSONDecoder().decode(C.self, from: try JSONEncoder().encode(members))
  }

  private struct Pending: Encodable {
    let localId: String
    let mfaPendingCredential: Secret
    let mfaInfo: [Account.MfaEnrollment]
  }

  private func response(_ status: Int, _ value: any Encodable) -> TransportResponse {
    let data = (try? JSONEncoder().encode(value)) ?? Data()
    return TransportResponse(
      status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: Array(data), url: "")
  }

  private func fault(_ status: Int, _ message: String) -> TransportResponse {
    struct Body: Encodable {
      struct Fault: Encodable {
        let code: Int
        let message: String
      }
      let error: Fault
    }
    return response(status, Body(error: Body.Fault(code: status, message: message)))
  }
}
