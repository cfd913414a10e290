/// Prints its name only: it holds the policy's nonce as bytes.
extension ClaimRules: CustomStringConvertible, CustomReflectable {
  var description: String { "ClaimRules" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
