import Foundation
import Testing

/// `scripts/install`, with a compiler that makes what it would have made at once.
struct InstallTests {
  private static let compiler = """
    #!/bin/sh
    case "$*" in
    *--show-bin-path*) echo "$products" ;;
    *) echo "$*" >> "$products/calls"
      printf '#!/bin/sh\\necho gate "$@"\\n' > "$products/gate"; chmod 755 "$products/gate"
      echo library > "$products/libgatehouse-queuecheck.so"
      printf '#!/bin/sh\\n{ echo "$@"; "$1" "{…}"; echo .Sh \\047"EXIT STATUS"\\047; echo .Ex -std; } > "$4/gate.1"
      echo "$1" > "$4/gate.key.1"\\n' > "$products/generate-manual"
      chmod 755 "$products/generate-manual" ;;
    esac
    """

  private static func install(
    in folder: String, _ arguments: [String], path: String = ""
  ) async throws -> ChildProcess.Outcome {
    var child = ChildProcess(
      "/bin/sh",
      [
        "-c",
        """
        mkdir -p bin products
        printf '%s\\n' "$compiler" > bin/swift; printf '#!/bin/sh\\necho installed\\n' > bin/dpkg-query
        printf '#!/bin/sh\\nsed "s/echo gate/echo stripped/" "$4" > "$3"; chmod 755 "$3"\\n' > bin/strip
        chmod 755 bin/*
        exec "$script" "$@"
        """, "sh",
      ] + arguments)
    child.folder = folder
    child.environment = [
      "compiler": compiler, "script": "\(Repository.root)/scripts/install", "products": folder + "/products",
      "HOME": folder + "/ada", "PATH": "\(folder)/bin:\(path)/usr/bin:/bin",
    ]
    return try await child.run()
  }

  @Test func `the command, its library and its completions are installed for the user, and removed`() async throws {
    try await TemporaryFolder.with { folder in
      let place = folder + "/ada/.local"
      let files = [
        "bin/gate", "lib/libgatehouse-queuecheck.so", "share/bash-completion/completions/gate",
        "share/fish/vendor_completions.d/gate.fish", "share/man/man1/gate.1", "share/man/man1/gate.key.1",
        "share/systemd/user/gatehouse-agent.service", "share/systemd/user/gatehouse-agent.socket",
        "share/zsh/site-functions/_gate",
      ]
      for _ in 1...2 {
        let outcome = try await Self.install(in: folder, [])
        #expect(outcome.succeeded && outcome.output.contains("Installed \(place)/bin/gate"), "\(outcome)")
        #expect(outcome.output.contains("\(place)/bin is not in your PATH"), "\(outcome)")
      }
      let found = try FileManager.default.subpathsOfDirectory(atPath: place).filter {
        !(try FileManager.default.attributesOfItem(atPath: place + "/" + $0)[.type] as? FileAttributeType
          == .typeDirectory)
      }
      #expect(found.sorted() == files)
      #expect(
        try String(contentsOfFile: place + "/" + files[2], encoding: .utf8)
          == "stripped --generate-completion-script bash\n")
      #expect(
        try String(contentsOfFile: place + "/" + files[4], encoding: .utf8)
          == "\(folder)/products/described --multi-page --output-directory \(folder)/products/manual\n"
          + "stripped {\\[u2026]}\n")
      #expect(try String(contentsOfFile: place + "/" + files[6], encoding: .utf8) == "stripped agent unit service\n")
      let calls = try String(contentsOfFile: folder + "/products/calls", encoding: .utf8)
      #expect(calls.contains("--static-swift-stdlib") && calls.contains("--product gatehouse-queuecheck"))

      #expect(try await Self.install(in: folder, ["--remove"]).succeeded)
      for file in files { #expect(!FileManager.default.fileExists(atPath: "\(place)/\(file)")) }
    }
  }

  @Test func `another folder may be named, and one in the PATH is not spoken of`() async throws {
    try await TemporaryFolder.with { folder in
      let outcome = try await Self.install(in: folder, ["--prefix", "a place"], path: folder + "/a place/bin:")
      #expect(outcome.succeeded && !outcome.output.contains("PATH"), "\(outcome)")
      #expect(FileManager.default.isExecutableFile(atPath: folder + "/a place/bin/gate"))
      let unit = folder + "/a place/lib/systemd/system/gatehouse-agent.socket"
      #expect(try String(contentsOfFile: unit, encoding: .utf8) == "stripped agent unit socket --system\n")
      #expect(try await Self.install(in: folder, ["--remove", "--prefix", "a place"]).succeeded)
      #expect(!FileManager.default.fileExists(atPath: unit))
      let wrong = try await Self.install(in: folder, ["--prefix"])
      #expect(wrong.status == 2 && wrong.errors.contains("scripts/install [--prefix FOLDER]"), "\(wrong)")
    }
  }
}
