import GatehouseBase
import IdentityToolkit

/// The names of a file's hash parameters as the file spells them, for messages to its author.
struct HashParameterNames {
  /// The parameters, by their names in the protocol.
  enum Parameter: String, CaseIterable {
    case signerKey, saltSeparator, rounds, memoryCost, cpuMemCost, parallelization, blockSize, dkLen, passwordHashOrder

    /// The name in the block of Firebase's console.
    fileprivate var inBlock: String {
      switch self {
      case .signerKey: "base64_signer_key"
      case .saltSeparator: "base64_salt_separator"
      case .memoryCost, .cpuMemCost: "mem_cost"
      case .blockSize: "block_size"
      case .dkLen: "dk_len"
      case .passwordHashOrder: "password_hash_order"
      case .rounds, .parallelization: rawValue
      }
    }

    /// The name among the options of `firebase auth:import`.
    fileprivate var asOption: String {
      switch self {
      case .signerKey: "hash-key"
      case .saltSeparator: "salt-separator"
      case .memoryCost, .cpuMemCost: "mem-cost"
      case .blockSize: "block-size"
      case .dkLen: "dk-len"
      case .passwordHashOrder: "hash-input-order"
      case .rounds, .parallelization: rawValue
      }
    }
  }

  private enum Form { case block, options, json }

  private let form: Form
  private let given: [String]

  init(of file: JSONObject, isJSON: Bool) {
    given = file.names
    let isOptions = given.contains { $0.contains("-") }
    form = isOptions ? .options : isJSON && !given.contains { $0.contains("_") } ? .json : .block
  }

  /// The parameter's name as the file has it, or would have it.
  func spelling(_ parameter: Parameter) -> String {
    let names = [parameter.rawValue, parameter.inBlock, parameter.asOption].map(JSONObject.plain)
    if let given = given.first(where: { names.contains(JSONObject.plain($0)) }) { return given.printable() }
    return switch form {
    case .block: parameter.inBlock
    case .options: parameter.asOption
    case .json: parameter.rawValue
    }
  }

  /// The reason of a refusal, which has the protocol's names, with those of the file.
  func reason(of error: AuthError, _ call: UserFileHash.Parameters) -> String {
    // The word's own advice would say the same before it.
    let reason = error.serverWord == .invalidHashRounds ? error.serverDetail ?? error.message : error.message
    // The parameters of Argon2 are JSON only, and one has a name that begins like one of these.
    guard call.argon2 == nil else { return reason }
    return Parameter.allCases.reduce(reason) { reason, parameter in
      reason.replacing(parameter.rawValue, with: spelling(parameter))
    }
  }
}
