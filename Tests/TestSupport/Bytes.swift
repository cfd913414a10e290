package import GatehouseBase

/// The bytes that hexadecimal digits spell; fewer where they do not.
package func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Why a piece of work was refused; `nil` if it was not.
package func refusal<Value>(_ body: () throws(AuthError) -> Value) -> AuthError.Code? {
  do {
    _ = try body()
    return nil
  } catch { return error.code }
}
