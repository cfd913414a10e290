package import GatehouseBase

/// The bytes that hexadecimal digits spell; fewer where they do not.
package func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes that base64 spells, as PEM has it; none where it does not.
package func bytes(base64: String) -> [UInt8] {
  let canonical = base64.filter { $0 != "=" && !$0.isNewline }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
  return (try? Base64URL.decode(String(canonical))) ?? []
}

/// Why a piece of work was refused; `nil` if it was not.
package func refusal<Value>(_ body: () throws -> Value) -> AuthError.Code? {
  do throws(AuthError) {
    _ = try typed(body)
    return nil
  } catch { return error.code }
}
