import GatehouseBase
import GatehouseHTTP
import GatehouseTesting

/// A transport that violates the contract in one way, which the contract suite must detect.
struct BrokenTransport: HTTPTransport {
  enum Flaw: String, CaseIterable, Sendable {
    case dropsBodies, dropsAnswers, throwsOnErrors, keepsCookies, mixesAnswers, forgetsTheLimit, inventsAnswers
    case checksNothing, sendsInTheOpen, followsUnasked, neverFollows, followsAnywhere, followsForEver
    case forgetsTheTimeout, forgetsCancellation, forgetsEarlyCancellation
  }

  let flaw: Flaw?
  let inner: RecordingTransport

  func send(_ original: TransportRequest) async throws(AuthError) -> TransportResponse {
    var request = original
    switch flaw {
    case .dropsBodies: request.body = nil
    case .keepsCookies: request.headers.add("Cookie", "a=1")
    case .mixesAnswers: request.url = String(request.url.prefix { $0 != "1" })
    case .forgetsTheLimit: request.maximumResponseLength = .max
    case .followsUnasked: request.followsRedirects = true
    case .neverFollows: request.followsRedirects = false
    case .checksNothing:
      request = TransportRequest(.get, "https://one.example.org/", timeout: max(original.timeout, .seconds(1)))
    case .sendsInTheOpen where request.url.hasPrefix("http://"):
      return TransportResponse(status: 200, url: request.url)
    case .forgetsEarlyCancellation where Task.isCancelled: return TransportResponse(status: 200, url: request.url)
    default: break
    }
    do throws(AuthError) {
      let response = try await inner.send(request)
      if flaw == .dropsAnswers { return TransportResponse(status: response.status, url: response.url) }
      guard flaw != .throwsOnErrors || response.status < 400 else { throw AuthError(.responseInvalid, "no") }
      return response
    } catch {
      switch (flaw, error.code) {
      case (.inventsAnswers, .networkError), (.followsAnywhere, .redirectRefused), (.followsForEver, .redirectRefused),
        (.forgetsTheTimeout, .deadlineExceeded), (.forgetsCancellation, .cancelled):
        return TransportResponse(status: 200, url: request.url)
      default: throw error
      }
    }
  }
}
