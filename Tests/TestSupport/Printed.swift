import GatehouseBase

/// Everything that printing, describing, debugging and dumping a value shows: of the value alone, and inside others.
package func printed(_ value: Any) -> [String] {
  [value, value as Any? as Any, [value], ["key": value], Result<Any, AuthError>.success(value)].flatMap { value in
    var written = "", dumped = ""
    print(value, to: &written)
    dump(value, to: &dumped)
    return [written, dumped, "\(value)", String(describing: value), String(reflecting: value)]
  }
}

/// The first text that shows a secret in one of the ways to print a value: as it is, in base64url, or as the numbers of
/// its bytes. `nil` if none does.
package func leak(of secret: String, in value: Any) -> String? {
  let encoded = Base64URL.encode(secret.utf8)
  let numbers = " " + secret.utf8.map { "\($0)" }.joined(separator: " ") + " "
  return printed(value).first { text in
    text.contains(secret) || text.contains(encoded)
      || (" " + text.split { !$0.isASCII || !$0.isNumber }.joined(separator: " ") + " ").contains(numbers)
  }
}
