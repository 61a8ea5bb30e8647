import Foundation

/// Runs another program for an interoperability test.
enum ExternalTool {
    static let hasOpenSSL = (try? run("openssl", ["version"])) != nil
    static let hasJWCrypto = (try? run("python3", ["-c", "import jwcrypto"])) != nil

    /// Returns the standard output of a run that exits with status 0.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], input: Data = Data()) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: input)
        try standardInput.fileHandleForWriting.close()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        let problem = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TestFailure("\(program) failed: \(String(decoding: problem, as: UTF8.self))")
        }
        return result
    }
}
