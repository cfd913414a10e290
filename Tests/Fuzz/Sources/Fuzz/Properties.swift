import GatehouseBase
import GatehouseCrypto

/// Stops the program, which is a finding, unless something holds.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  guard holds else { fatalError("a property does not hold: \(what())") }
}

/// What a call gives, or `nil` if it refuses: in good order, whatever it was given.
@discardableResult
func attempt<Value>(_ work: () throws -> Value) -> Value? {
  do {
    let value = try work()
    require(OpenSSLErrors.areNone, "a call that succeeds leaves nothing on OpenSSL's error queue")
    return value
  } catch {
    guard let error = error as? AuthError else { fatalError("a call throws what is no AuthError: \(error)") }
    require(OpenSSLErrors.areNone, "a call that fails leaves nothing on OpenSSL's error queue: \(error)")
    require(AuthError.Code.names[error.code.rawValue] != nil, "every error has a code with a name: \(error)")
    require(isForPeople(error.message), "a message is one short line: \(error)")
    return nil
  }
}

/// What a call gives that has no reason to refuse.
func sure<Value>(_ work: () throws -> Value) -> Value {
  do { return try work() } catch { fatalError("this never fails: \(error)") }
}

/// No input can write lines of its own into a log.
private func isForPeople(_ message: String) -> Bool {
  message.utf8.count <= 300 && message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}
