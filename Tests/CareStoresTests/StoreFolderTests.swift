import CarePlans
import Core
import DeviceSystem
import Foundation
import TestSupport
import Testing

@testable import CareStores

@Suite struct StoreFolderTests {
    let server = ModelCareServer()

    @Test func aFolderHasOneCopyForEachPatientAndOneOpenStoreForEach() async throws {
        let folder = try TemporaryFolder().url.appendingPathComponent("care", isDirectory: true)
        let version = try Make.version("contact")
        do {
            let ann = try await CarePlanStore(patient: "ann", folder: folder, server: server)
            try await ann.insert([version])
            await #expect(throws: DeviceStorageError.self) {
                try await CarePlanStore(patient: "ann", folder: folder, server: server, patience: 0)
            }
            let bob = try await CarePlanStore(patient: "bob/../x", folder: folder, server: server, patience: 0)
            #expect(await bob.copy.graph.versions.isEmpty)
        }
        let again = try await CarePlanStore(patient: "ann", folder: folder, server: server)
        #expect(await again.copy.graph.versions == [version.uuid: version])
        #expect(CarePlanStore.hasCopy(of: "ann", in: folder))
        try await CarePlanStore.removeCopy(of: "bob/../x", in: folder)
        #expect(!CarePlanStore.hasCopy(of: "bob/../x", in: folder))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["ann.care", "ann.lock"])
    }

    @Test func changesAreReportedWithTheirOrigin() async throws {
        let (one, two) = (try CarePhone(server).open(), try CarePhone(server).open())
        let version = try Make.version("contact")
        var changes = await two.changes().makeAsyncIterator()
        try await one.insert([version])
        try await one.sync()
        try await two.sync()
        let change = await changes.next()
        #expect(change?.versions == [version.uuid])
        #expect(change?.isRemote == true)
    }

    @Test func aFileOfFormerStatesIsWrittenAgain() async throws {
        let folder = try TemporaryFolder().url.appendingPathComponent("care", isDirectory: true)
        let file = folder.appendingPathComponent("ann.care")
        let version = try Make.version("contact")
        var bytes = 0
        do {
            let store = try await CarePlanStore(patient: "ann", folder: folder, server: server)
            try await store.insert([version])
            try await store.sync()
            var state = CareCopyRecord()
            state.incomplete = (0..<2_000).map { _ in UUID() }
            for _ in 0..<20 { try await store.record(state) }
            try await store.insert([Make.version("unsent")])
            bytes = try Data(contentsOf: file).count
        }
        let store = try await CarePlanStore(patient: "ann", folder: folder, server: server)
        #expect(bytes > 1 << 20)
        #expect(try Data(contentsOf: file).count < bytes / 4)
        #expect(await store.unsentCount == 1)
        let compacted = await store.copy
        try await store.sync()
        #expect(await server.order.count == 2)
        // The records of a copy have its whole state.
        var again = CareCopy(process: compacted.process)
        for record in compacted.records {
            let read = try #require(CareCopyRecord(record.bytes[...]))
            again.apply(read)
        }
        #expect(again.graph.versions == compacted.graph.versions)
        #expect(again.vectors == compacted.vectors && again.knowledge == compacted.knowledge)
        #expect(again.unsent == compacted.unsent && again.incomplete == compacted.incomplete)
        #expect(again.server == compacted.server && again.patient == "ann")
    }
}
