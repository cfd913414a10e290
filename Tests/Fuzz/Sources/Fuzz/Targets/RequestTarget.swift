import Foundation
import GatehouseBase
import GatehouseServer
import IdentityToolkit

/// What the server reads of a request: the path, the query, the body, and the call that they make. The input is a line
/// with the method and the target, a line with the type of the body, and the body. It is a call, which reads the same
/// again when it is written as our client writes it; or a refusal that is an error of the protocol's.
enum RequestTarget: Target {
  static let name = "request"

  /// Its provider is never opened.
  private static let server = IdentityServer(LocalBackend(directory: "/nonexistent"))

  static func check(_ input: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let lines = input.split(separator: newline, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3 else { return }
    let line = lines[0].split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    guard line.count == 2 else { return }
    let request = ServerRequest(
      text(line[0]), text(line[1]), headers: ["Content-Type": text(lines[1])], body: Array(lines[2]))
    for (place, reading) in server.calls(of: request).enumerated() {
      switch reading {
      case .failure(let refusal): check(refusal.response)
      case .success(let call): check(call, of: request, at: place)
      }
    }
  }

  /// Written as JSON, a call is read as the same call.
  private static func check(_ call: any Call, of request: ServerRequest, at place: Int) {
    guard request.method != "GET" else { return }
    var again = request
    again.headers = ["Content-Type": "application/json"]
    again.body = written(call)
    let readings = server.calls(of: again)
    require(readings.indices.contains(place), "the same path has the same calls")
    guard case .success(let copy) = readings[place] else {
      // A trap is how the fuzzer is told, as in `require`.
      fatalError("a property does not hold: what a client writes of a call, the server reads")
    }
    require(written(copy) == again.body, "what is read is the call that was written")
  }

  private static func check(_ response: ServerResponse) {
    require((400...499).contains(response.status), "what is wrong with a request is not the server's fault")
    let json = attempt { try JSONObject(parsing: response.body) }
    let error = json?["error"]
    require(error?["code"]?.integer == Int64(response.status), "a refusal says its status")
    let message = error?["message"]?.string ?? ""
    require((1...300).contains(message.utf8.count), "a refusal has a message, which is short")
    require(
      message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a refusal's message is one line")
  }

  private static func written(_ call: any Call) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A trap is how the fuzzer is told, as in `require`.
    do { return Array(try encoder.encode(call)) } catch { fatalError("a call that was read is written: \(error)") }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let form = "POST /v1/token?key=k\napplication/x-www-form-urlencoded\ngrant_type=refresh_token&refresh_token=a%2Db+c"
    let edges = [
      form, "GET /v2/passwordPolicy?key=k\n\n", "POST /v1/accounts:signUp?key=%6B&a=%zz\n\n{}",
      "POST /v1/projects/local/tenants/t%31/accounts:lookup\n\n{\"local_id\":[\"a\",1],\"email\":null}",
      "POST /v1/accounts:update\n\n{\"deleteAttribute\":[1,\"DISPLAY_NAME\"],\"validSince\":\"1e3\"}",
    ]
    return edges.map { Array($0.utf8) } + harvest.requests
  }
}
