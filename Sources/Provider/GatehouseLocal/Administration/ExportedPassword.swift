import GatehouseBase

extension StoredAccount {
  /// Returns the password's hash and salt in base64, in the protocol's export format. A password that was set here can
  /// be imported elsewhere as `STANDARD_SCRYPT`, with the cost of `LocalOptions.passwordCost` and 32 bytes. A password
  /// of an emulator's home is in the form of Firebase's emulator, which is not in base64.
  ///
  /// - Parameter isEmulators: whether the home is an emulator's.
  func exportedPassword(
    inEmulatorsHome isEmulators: Bool
  ) throws(AuthError) -> (hash: Secret?, salt: Secret?) {
    guard let password else { return (nil, nil) }
    if isEmulators, let readable = ReadablePassword(text: password) {
      return (Secret(readable.text), Secret(readable.salt))
    }
    if let imported = try ImportedHash(text: password) {
      return (Self.exported(Array(imported.hash)), Self.exported(Array(imported.ownSalt)))
    }
    let own = try PasswordHash(text: password)
    return (Self.exported(own.hash), Self.exported(own.salt))
  }

  /// In the URL alphabet and with padding, like Google.
  private static func exported(_ bytes: [UInt8]) -> Secret {
    let text = Base64URL.encode(bytes)
    return Secret(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}
