import AsyncHTTPClient
import FoundationEssentials
import GatehouseBase
import GatehouseHTTP
import NIOCore
import NIOHTTP1

/// One request, its redirects, and the final response.
struct Exchange {
  private let request: TransportRequest
  private let client: HTTPClient

  init(_ request: TransportRequest, _ client: HTTPClient) {
    self.request = request
    self.client = client
  }

  func outcome() async -> Result<TransportResponse, AuthError> {
    do {
      return .success(try await response())
    } catch let error as AuthError {
      return .failure(error)
    } catch {
      // In a cancelled task, any error may be the result of the cancellation.
      guard !Task.isCancelled else { return .failure(.cancelled) }
      return .failure(AuthError(.networkError, ClientFault(error).reason(try? HTTPOrigin(of: request.url))))
    }
  }

  private func response() async throws -> TransportResponse {
    var url = request.url
    var redirects = 0
    while true {
      let response = try await client.execute(clientRequest(to: url), deadline: .distantFuture)
      let fields = response.headers.map { TransportHeaders.Field($0.name, $0.value) }
      let status = Int(response.status.code)
      let headers = TransportHeaders(fields)
      if request.followsRedirects, TransportResponse(status: status, url: url).isRedirect {
        redirects += 1
        // The response's body is released unread.
        url = try target(of: headers["Location"], from: url, count: redirects)
        continue
      }
      return TransportResponse(status: status, headers: headers, body: try await body(of: response, headers), url: url)
    }
  }

  private func clientRequest(to url: String) -> HTTPClientRequest {
    var clientRequest = HTTPClientRequest(url: url)
    clientRequest.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.headers.fields { clientRequest.headers.add(name: field.name, value: field.value) }
    // The length of a compressed response is unknown before it is decompressed.
    clientRequest.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
    if let body = request.body { clientRequest.body = .bytes(ByteBuffer(bytes: body)) }
    return clientRequest
  }

  private func target(of location: String?, from url: String, count: Int) throws(AuthError) -> String {
    guard let location, let target = URL(string: location, relativeTo: URL(string: url))?.absoluteString else {
      throw AuthError(.redirectRefused, "the redirect has no valid Location")
    }
    do throws(AuthError) { try typed { try request.checkRedirect(to: target, count: count) } } catch {
      throw AuthError(.redirectRefused, error.message)
    }
    return target
  }

  private func body(of response: HTTPClientResponse, _ headers: TransportHeaders) async throws -> [UInt8] {
    if let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
      throw AuthError(.responseInvalid, "the server compressed its answer, which was not asked for")
    }
    if let length = headers["Content-Length"].flatMap({ Int($0) }), length > request.maximumResponseLength {
      throw tooLarge
    }
    var body: [UInt8] = []
    for try await part in response.body {
      guard part.readableBytes <= request.maximumResponseLength - body.count else { throw tooLarge }
      body += part.readableBytesView
    }
    // In a cancelled task, the parts of the body may simply end.
    guard !Task.isCancelled else { throw AuthError.cancelled }
    return body
  }

  private var tooLarge: AuthError {
    AuthError(.responseTooLarge, "the response is longer than \(request.maximumResponseLength) bytes")
  }
}
