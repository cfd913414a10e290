import GatehouseBase
import IdentityToolkit

/// A call that the embedded provider knows how to answer.
protocol LocalCall<Response>: Call {
  /// Answers it. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Response
}
