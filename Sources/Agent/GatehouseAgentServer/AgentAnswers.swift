import GatehouseAgent
import GatehouseBase
import GatehouseHTTP
import GatehouseServer

extension AuthError {
  /// The words in `serverCode` of the agent's own refusals; they decide the HTTP status.
  static let pathUnknown = "PATH_UNKNOWN", methodUnknown = "METHOD_UNKNOWN", tooManyRefreshes = "TOO_MANY_REFRESHES"
}

extension ServerResponse {
  /// The answer to a request that was carried out. Caches must not store it.
  init(agentJSON json: JSONObject, status: Int = 200) {
    self.init(
      status: status, headers: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"],
      body: Array("\(json)\n".utf8))
  }

  /// The answer to a request that was refused or has failed.
  init(refusedByAgent error: AuthError) {
    self.init(agentJSON: ["error": .object(error.agentJSON)], status: error.agentStatus)
    guard let seconds = error.retryAfter?.inSeconds else { return }
    headers.add("Retry-After", "\(Int64(clamping: seconds.rounded(.up)))")
  }
}

extension AuthError {
  var agentJSON: JSONObject {
    var json: JSONObject = [
      "code": .string("\(code)"), "number": .number(JSONNumber(Int64(code.rawValue))), "message": .string(message),
    ]
    json["retryAfter"] = retryAfter.map { .number(JSONNumber(Int64(clamping: $0.inSeconds.rounded(.up)))) }
    return json
  }

  /// The HTTP status. A program that only knows HTTP learns from it whether another try can help.
  fileprivate var agentStatus: Int {
    switch code {
    case .invalidArgument where serverCode == Self.pathUnknown: 404
    case .invalidArgument where serverCode == Self.methodUnknown: 405
    case .invalidArgument: 400
    case .operationNotAllowed: 403
    case .tooManyRequests where serverCode == Self.tooManyRefreshes: 429
    case .accountUnknown: 404
    case .invalidUserToken, .userTokenExpired, .userDisabled, .userNotFound: 409
    case .deadlineExceeded: 504
    default: 503
    }
  }
}

extension AccountStatus {
  /// The status as programs read it; unknown values are omitted.
  var json: JSONObject {
    var json: JSONObject = [
      "name": .string(name), "kind": .string(kind), "state": .string(state.name), "fetching": .bool(isFetching),
      "failures": .number(JSONNumber(Int64(failures))),
    ]
    json["expiresIn"] = remainingLifetime.map { .number(JSONNumber($0.wholeSeconds)) }
    switch state {
    case .failing(let error), .needsPerson(let error): json["error"] = .object(error.agentJSON)
    case .empty, .lending: break
    }
    return json
  }
}

extension AccountStatus.State {
  /// The name of the state that programs read: `lending`.
  var name: String {
    switch self {
    case .empty: "empty"
    case .lending: "lending"
    case .failing: "failing"
    case .needsPerson: "needsPerson"
    }
  }
}

extension ServerRequest {
  func require(_ method: String) throws(AuthError) {
    guard self.method == method else {
      throw AuthError(
        .invalidArgument, "this path is for \(method), not for \(self.method.printable(upTo: 16))",
        serverCode: AuthError.methodUnknown)
    }
  }
}

/// The parameters of a request's query.
struct RequestQuery {
  private var values: [String: String] = [:]

  /// - Parameter names: the parameters that the path has.
  init(_ text: String?, of names: [String]) throws(AuthError) {
    let items: [(name: String, value: String)]
    do { items = try FormEncoding.decode(text ?? "") } catch {
      throw AuthError(.invalidArgument, "the query is malformed; write it as ?minValidity=120")
    }
    for (name, value) in items {
      guard names.contains(name) else {
        let advice = names.isEmpty ? "this path has none" : "this path has \(names.joined(separator: ", "))"
        throw AuthError(.invalidArgument, "there is no parameter \(name.printable(upTo: 64)); \(advice)")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw AuthError(.invalidArgument, "the parameter \(name) is given twice")
      }
    }
  }

  /// The value of a parameter in whole seconds, up to a year.
  func duration(_ name: String) throws(AuthError) -> Duration? {
    guard let text = values[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text), seconds <= 31_536_000 else {
      throw AuthError(.invalidArgument, "\(name) must be whole seconds from 0 to 31536000, such as \(name)=120")
    }
    return .seconds(seconds)
  }
}
