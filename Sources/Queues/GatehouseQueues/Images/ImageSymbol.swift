import Runtime

/// A function that contains an address.
package struct ImageSymbol: Sendable {
  /// The name as it is written in the source, and as the linker knows it.
  package let name, rawName: String
  /// The name of the file that contains the function's code.
  package let image: String
  /// The source location of the address; `nil` if the debug information does not have it.
  package let file: String?, line: Int?

  init(_ symbol: SymbolicatedBacktrace.Symbol, in image: String) {
    (name, rawName, self.image) = (symbol.name, symbol.rawName, image)
    (file, line) = (symbol.sourceLocation?.path, symbol.sourceLocation?.line)
  }
}
