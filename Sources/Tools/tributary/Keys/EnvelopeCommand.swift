import ArgumentParser
import Consumer
import DeviceCommands
import Foundation
import StudyKeys
import Wire

struct EnvelopeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "envelope", abstract: "Seal and open envelopes.",
        discussion: "Example:\n  tributary envelope seal --to study.jwks answers.json > sealed.json",
        subcommands: [Seal.self, Open.self])

    struct Seal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "seal", abstract: "Seal files to public keys; the envelope goes to standard output.",
            discussion: """
                A key file is any output of `keys publish`. Several files are sealed in one NDJSON envelope.

                Example:
                  tributary envelope seal --to study.jwks answers.json > sealed.json
                  tributary envelope seal --to public.crt --c3pro answers.json > sealed.json
                """)
        @Option(help: "A file with public keys: JWKS, PEM, DER or a certificate. Repeat for more.") var to: [String] =
            []
        @Flag(help: "C3-PRO's format instead of JWE.") var c3pro = false
        @Option(name: .customLong("sid"), help: "The submission's id, a UUID; a new one unless given.")
        var submissionID: String?
        @Option(name: .customLong("seq"), help: "The sequence number of the device, from 1.") var sequence: Int64 = 1
        @Option(help: "The FHIR version of the payload; C3-PRO's default is 1.0.2.") var fhirVersion: String?
        @Argument(help: "The files to seal; - is standard input.") var files: [String]

        func validate() throws {
            guard !to.isEmpty else { throw ValidationError("Name at least one key file with --to.") }
            guard !c3pro || files.count == 1 else { throw ValidationError("C3-PRO's format takes one file.") }
        }

        func run() async throws {
            CommandOutput.result(try envelope() + Data("\n".utf8))
        }

        private func envelope() throws -> Data {
            let payloads = try files.map { try CommandInput.file($0) }
            let keys = try to.flatMap { try PublicKey.read(from: try CommandInput.file($0)) }
            if c3pro {
                let rsaKeys = keys.compactMap { if case .rsa(let key) = $0 { key } else { nil } }
                guard let rsa = rsaKeys.first else {
                    throw CommandError("recipients-invalid", "C3-PRO's format needs an RSA key.")
                }
                return try C3PROEnvelope.seal(payloads[0], to: rsa, version: fhirVersion ?? "1.0.2").bytes
            }
            let batch = payloads.count > 1
            let header = try SubmissionHeader(
                submissionID: submissionID ?? UUID().uuidString, sequence: sequence,
                fhirVersion: fhirVersion ?? "4.0.1", contentType: batch ? .batch : .resource)
            let payload = batch ? try Self.lines(payloads) : payloads[0]
            return try SealedEnvelope.seal(payload, as: header, to: keys).bytes
        }

        /// Returns one resource per line: line breaks between members are removed, and nothing else is changed.
        private static func lines(_ payloads: [Data]) throws -> Data {
            var output = Data()
            for payload in payloads {
                // JSON allows no raw line break inside strings, so each one is between values.
                output.append(contentsOf: payload.filter { $0 != 0x0A && $0 != 0x0D })
                output.append(0x0A)
            }
            return output
        }
    }

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Open an envelope; the payload's bytes go to standard output unchanged.",
            discussion: "Example:\n  tributary envelope open --keys study/keys sealed.json")
        @Option(help: "The folder of private keys.") var keys: String
        @Argument(help: "The envelope; - is standard input.") var file: String

        func run() async throws {
            let url = URL(fileURLWithPath: keys, isDirectory: true)
            let folder = KeyFolder(
                url: url, publicSetURL: url,
                passphrase: KeyPassphrase(environment: ProcessInfo.processInfo.environment))
            let privateKeys = try folder.privateKeys()
            guard !privateKeys.isEmpty else {
                throw CommandError("key-missing", "There is no private key in \(keys).")
            }
            let opened = try OpenedEnvelope.open(
                try CommandInput.file(file), with: try OpenSSLKeyOpener(privateKeys))
            CommandOutput.result(opened.payload)
        }
    }
}
