/// Prints only its name, because it contains the policy's nonce as bytes.
extension ClaimRules: CustomStringConvertible, CustomReflectable {
  var description: String { "ClaimRules" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
