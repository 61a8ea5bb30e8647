import FHIR
import Foundation
import ResearchKitAdapter
import ResearchResults

#if canImport(ResearchKit)
    import ResearchKit

    /// The examples of docs/researchkit.md as an app would contain them; `GuideTests` compares the two texts.
    enum ResearchKitGuide {
        static func send(_ finished: ORKTaskResult, put: (URL, Data) throws -> Void, server: URL) throws {
            let serialized = try finished.serialized()
            let result = try serialized.researchResult(descriptor: "sleep")
            let images = serialized.images.compactMap { $0.image.jpegData(compressionQuality: 1) }
            for name in serialized.unconverted.classNames { print("\(name): common members only") }
            try put(server.appending(path: "v1/results/\(result.id)"), result.json.data())
            for image in images { try put(server.appending(path: "v1/me/blobs"), image) }
        }

        static func change(_ bytes: Data) throws -> Data {
            let restored = try RestoredResult(bytes)
            restored.task?.stepResult(forStepIdentifier: "diary")?.userInfo = ["checked": true]
            let changed = try restored.serialized().json.data()
            return changed
        }
    }
#endif
