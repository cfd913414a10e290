import Foundation
import GatehouseBase
import GatehouseServer
import IdentityToolkit

/// A backend that speaks the protocol with a server, without a socket between them.
struct WireBackend: Backend {
  let scene: ServerScene

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    do { return try await answered(call).get() } catch let error as AuthError { throw error } catch {
      throw AuthError(.internalError, "\(error)")
    }
  }

  private func answered<C: Call>(_ call: C) async throws -> Result<C.Response, AuthError> {
    let method = C.endpoint.hasSuffix("passwordPolicy") ? "GET" : "POST"
    let body = try JSONEncoder().encode(call)
    let answer = await scene.server.answer(
      ServerRequest(method, "/\(C.endpoint)?key=k", body: method == "GET" ? [] : Array(body)))
    let json = answer.body.isEmpty ? [:] : try JSONObject(parsing: answer.body)
    if let message = json["error"]?["message"]?.string {
      let wait = answer.headers["Retry-After"].flatMap { Int($0) }.map { Duration.seconds($0) }
      return .failure(AuthError(server: message, retryAfter: wait))
    }
    if let pending = json["mfaPendingCredential"]?.string {
      return .failure(.secondFactorRequired(PendingSignIn(credential: Secret(pending), factors: [])))
    }
    return .success(try JSONDecoder().decode(C.Response.self, from: Data(answer.body)))
  }
}
