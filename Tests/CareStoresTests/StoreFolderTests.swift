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
}
