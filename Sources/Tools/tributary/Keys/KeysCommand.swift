import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyKeys
import TributaryServer
import Wire

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "The keys that submissions are sealed to.",
        discussion: """
            Example:
              tributary keys publish study --format jwks > study.jwks
            """,
        subcommands: [
            Generate.self, List.self, Rotate.self, Revoke.self, Recipients.self, Protect.self, Drill.self, Publish.self,
        ])

    struct Generate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate", abstract: "Make an RSA-2048 and a P-256 key if the study has none.",
            discussion: "Example:\n  tributary keys generate study")
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            if try folder.keys.entries().isEmpty {
                _ = try folder.keys.generate(now: Date())
                _ = try folder.keys.makeRootKey()
                try folder.keys.publish(study: study.id, now: Date())
            } else {
                try folder.keys.publish(study: study.id, now: Date())
                CommandOutput.note("The study has keys already; `keys rotate` makes new ones.")
            }
            try KeysCommand.show(folder, json: json)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys, without secrets.",
            discussion: "Example:\n  tributary keys list study")
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws { try KeysCommand.show(StudyFolder(path: dir), json: json) }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Make new keys; the old ones still open earlier messages.",
            discussion: """
                Phones fetch the new set after the study's next answer, and seal to the old keys until then.

                Example:
                  tributary keys rotate study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            _ = try folder.keys.generate(now: Date())
            try KeysCommand.sign(folder, study: study.id)
            try KeysCommand.show(folder, json: json)
        }
    }

    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "publish", abstract: "Print the public keys.",
            discussion: """
                jws: both keys, signed by the study's root key; the set is also written to the server's file, and the
                root key's fingerprint is printed. jwks: both keys as a JWK set. pem, der: the RSA key as
                SubjectPublicKeyInfo. crt: a self-signed certificate (DER) with the RSA key, as C3-PRO's apps bundle it.

                Example:
                  tributary keys publish study --format crt > public.crt
                """)
        enum Format: String, ExpressibleByArgument, CaseIterable { case jws, jwks, pem, der, crt }
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "jws, jwks, pem, der or crt.") var format: Format = .jws

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            let entries = try folder.keys.entries().filter(\.isCurrent)
            guard let rsa = entries.first(where: { $0.key.kind == .rsa })?.key else {
                throw CommandError("key-missing", "The study has no keys; make them with `tributary keys generate`.")
            }
            switch format {
            case .jws:
                // A study from before root keys gets one; a study whose root key is stored elsewhere does not.
                if !FileManager.default.fileExists(atPath: folder.keys.signedSetURL.path) {
                    _ = try folder.keys.makeRootKey()
                }
                guard let (set, fingerprint) = try folder.keys.publish(study: study.id, now: Date()) else {
                    throw CommandError(
                        "root-key-missing", "The study's root key is not in keys/: restore root.pem to sign.")
                }
                CommandOutput.note("The fingerprint of the study's root key (device enrol --root): \(fingerprint)")
                CommandOutput.result(set + Data("\n".utf8))
            case .jwks:
                CommandOutput.result(try folder.keys.publishedKeys(study: study.id).jwks + Data("\n".utf8))
            case .pem: CommandOutput.result(Data(rsa.publicKey.pem.utf8))
            case .der: CommandOutput.result(rsa.publicKey.subjectPublicKeyInfo)
            case .crt:
                CommandOutput.result(try SelfSignedCertificate.make(for: rsa, commonName: study.id, now: Date()))
            }
        }
    }

    static func show(_ folder: StudyFolder, json: Bool) throws {
        _ = try folder.configuration()
        let entries = try folder.keys.entries()
        if json {
            CommandOutput.result([
                "keys": .array(
                    entries.map {
                        [
                            "kid": .string($0.key.keyID), "kind": .string($0.key.kind.rawValue),
                            "current": .bool($0.isCurrent), "state": .string($0.state.rawValue),
                            "file": .string($0.file),
                        ]
                    })
            ])
        } else {
            CommandOutput.table(
                ["kind", "state", "kid"],
                entries.map { [$0.key.kind.rawValue, $0.state.rawValue, $0.key.keyID] })
        }
    }
}
