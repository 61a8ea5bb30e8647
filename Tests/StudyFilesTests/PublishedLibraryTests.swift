import FHIR
import FHIRVersions
import Foundation
import InformedConsent
import Receiver
import StudyOperations
import TestSupport
import Testing

@testable import StudyFiles

@Suite struct PublishedLibraryTests {
    private static let dstu2 = #"{"resourceType":"Questionnaire","id":"f","status":"published","group":{"linkId":"q"}}"#
    private static let stu3 = """
        {"resourceType":"Questionnaire","id":"f","status":"active","item":[{"linkId":"q","type":"choice","options":{\
        "reference":"ValueSet/v"}}]}
        """
    private static let r4 = """
        {"resourceType":"Questionnaire","id":"f","status":"active","item":[{"linkId":"q","type":"choice",\
        "answerValueSet":"ValueSet/v"}]}
        """
    /// A form of STU3 or R4: its content does not decide.
    private static let either = """
        {"resourceType":"Questionnaire","id":"f","status":"active","item":[{"linkId":"q","type":"string"}]}
        """

    /// Passes a study with these files.
    private func folder(_ files: [String: String], _ body: (StudyFolder) throws -> Void) throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        let study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b")
        try folder.make(study, antispam: "a-secret-word", now: Date())
        for (name, text) in files {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(folder)
    }

    /// Returns the form `f` as served to readers of each release.
    private func served(_ forms: [String: String]) throws -> [FHIRRelease: (text: String, release: FHIRRelease)] {
        var served: [FHIRRelease: (String, FHIRRelease)] = [:]
        let files = Dictionary(uniqueKeysWithValues: forms.map { ("questionnaires/\($0).json", $1) })
        try folder(files) { folder in
            let library = PublishedLibrary(folder)
            for release in FHIRRelease.allCases {
                guard let found = library.read(type: "Questionnaire", id: "f", in: release) else { continue }
                served[release] = (String(decoding: found.bytes, as: UTF8.self), found.release)
            }
        }
        return served
    }

    @Test func newestVersionOfEachDefinitionIsARecordInR4() throws {
        let newer = Self.r4.replacingOccurrences(of: #""status""#, with: #""version":"2","status""#)
        let contract = #"{"resourceType":"Contract","id":"consent","status":"offered"}"#
        let set = #"{"resourceType":"ValueSet","status":"active","url":"http://v"}"#
        try folder([
            "questionnaires/a.json": Self.dstu2, "questionnaires/b.json": newer, "questionnaires/v.json": set,
            "consent/c.json": contract,
        ]) { folder in
            let records = folder.publishedRecords()
            #expect(
                records.map { "\($0.resourceType)/\($0.id ?? "")" } == [
                    "Contract/published-consent", "Questionnaire/f", "ValueSet/v",
                ])
            #expect(records.first { $0.resourceType == "Questionnaire" }?.object["version"]?.string == "2")
        }
    }

    @Test func eachReaderGetsTheFileOfItsRelease() throws {
        let served = try served(["a": Self.r4, "b": Self.dstu2, "c": Self.stu3])
        for (release, text) in [(FHIRRelease.dstu2, Self.dstu2), (.stu3, Self.stu3), (.r4, Self.r4)] {
            #expect(served[release]?.text == text && served[release]?.release == release)
        }
    }

    @Test func ambiguousFormIsServedToReadersWithoutAFormOfTheirRelease() throws {
        let alone = try served(["a": Self.either])
        #expect(alone[.stu3]?.text == Self.either && alone[.stu3]?.release == .stu3)
        #expect(alone[.r4]?.text == Self.either && alone[.r4]?.release == .r4)
        let both = try served(["a": Self.either, "b": Self.r4])
        #expect(both[.stu3]?.text == Self.either && both[.r4]?.text == Self.r4)
        let named = try served(["a.r4": Self.either, "b.stu3": Self.either + " "])
        #expect(named[.stu3]?.text == Self.either + " " && named[.r4]?.text == Self.either)
    }

    @Test func missingReleaseIsReplacedByTheNearestAndR4IsConverted() throws {
        let older = try served(["a": Self.dstu2, "b": Self.stu3])
        #expect(older[.r4]?.release == .r4 && older[.r4]?.text.contains("answerValueSet") == true)
        let oldest = try served(["a": Self.dstu2])
        #expect(oldest[.stu3]?.text == Self.dstu2 && oldest[.stu3]?.release == .dstu2)
        #expect(oldest[.r4]?.release == .r4 && oldest[.r4]?.text.contains(#""item""#) == true)
        let newest = try served(["a": Self.r4])
        for release in FHIRRelease.allCases {
            #expect(newest[release]?.text == Self.r4 && newest[release]?.release == .r4)
        }
        let ends = try served(["a": Self.r4, "b": Self.dstu2])
        #expect(ends[.stu3]?.release == .r4, "of two as near the newer")
    }

    @Test func newestActiveVersionOfAnIDIsRead() throws {
        func version(_ number: String, _ status: String) -> String {
            Self.r4.replacingOccurrences(
                of: #""status":"active""#, with: #""status":"\#(status)","version":"\#(number)""#)
        }
        let served = try served([
            "a": version("1.9", "active"), "b": version("1.10", "active"), "c": version("2", "draft"),
        ])
        #expect(served[.r4]?.text == version("1.10", "active"))
    }

    @Test func aFileIsFoundByItsNameToo() throws {
        let set = #"{"resourceType":"ValueSet","id":"other","status":"active"}"#
        try folder(["questionnaires/ValueSet_SF36.stu3.json": set]) { folder in
            let library = PublishedLibrary(folder)
            for name in ["other", "SF36"] {
                let found = try #require(library.read(type: "ValueSet", id: name, in: .stu3))
                #expect(found.bytes == Data(set.utf8))
            }
            #expect(library.read(type: "Questionnaire", id: "SF36", in: .stu3) == nil)
            #expect(library.read(type: "ValueSet", id: "../study", in: .stu3) == nil)
            #expect(PublishedValueSets(folder.valueSets()).valueSet("ValueSet/SF36")?.id == "SF36")
            #expect(PublishedValueSets(folder.valueSets()).valueSet("ValueSet/other")?.id == "other")
        }
    }

    @Test func newestReleaseOfEachVersionIsRead() throws {
        let second = Self.dstu2.replacingOccurrences(of: #""status""#, with: #""version":"2","status""#)
        try folder([
            "questionnaires/a.json": Self.dstu2, "questionnaires/b.json": Self.r4, "questionnaires/c.json": Self.stu3,
            "questionnaires/d.json": second,
        ]) { folder in
            let forms = folder.questionnaires()
            #expect(forms.map(\.version) == [nil, "2"])
            let newest = try Resource(Data(Self.r4.utf8))
            #expect(forms.first?.resource == newest)
        }
    }

    @Test func aFormWithoutAnIDIsCalledByItsIdentifier() throws {
        let form = """
            {"resourceType":"Questionnaire","identifier":[{"value":"main"}],"status":"published","group":{"linkId":"q"}}
            """
        try folder(["questionnaires/x.json": form]) { folder in
            #expect(folder.questionnaires().map(\.id) == ["main"])
        }
    }

    @Test func releasesOfAConsentWithoutAURLShareOne() throws {
        func contract(_ more: String) -> String {
            """
            {"resourceType":"Contract",\(more)"term":[{"type":{"coding":[{"code":"Overview"}]},"text":"Words"}]}
            """
        }
        try folder([
            "consent/main.dstu2.json": contract(""), "consent/main.stu3.json": contract(#""status":"executable","#),
            "consent/other.json": contract(#""url":"https://study.example/c","version":"1","#),
        ]) { folder in
            let consents = PublishedConsents(folder.consents())
            #expect(
                consents.templates.map(\.url) == [
                    "https://study.example/c", "urn:tributary:consent:s:main", "urn:tributary:consent:s:main",
                ])
            #expect(consents.bundle.entry.count == 2, "two releases say the same")
            // A consent signed before it had a url still counts.
            let bare = try ConsentTemplate(Resource(Data(contract("").utf8)))
            let signed = try #require(consents.templates.first { $0.url == "urn:tributary:consent:s:main" })
            guard case .template(let matched) = consents.matchOfC3PRO(bare.contract) else {
                Issue.record("the Contract says the template's words")
                return
            }
            #expect(matched.url == signed.url || matched.url == "https://study.example/c")
        }
    }

    @Test func retiredConsentIsNotListed() throws {
        func contract(_ id: String, _ status: String) -> String {
            """
            {"resourceType":"Contract","id":"\(id)","url":"https://study.example/c","extension":[{"url":\
            "urn:tributary:consent-status","valueCode":"\(status)"}],"term":[{"type":{"coding":[{"code":"Overview"}]},\
            "text":"Words","offer":{"text":"Words"}}]}
            """
        }
        try folder(["consent/a.json": contract("a", "retired"), "consent/b.json": contract("b", "current")]) { folder in
            let library = PublishedLibrary(folder)
            let search = PublishedReading.Search(
                type: "Contract", release: .r4, parameters: [], count: 9, offset: 0, address: "http://x/fhir")
            let bundle = try JSON(library.search(search).bytes)
            #expect(bundle["entry"]?.array?.compactMap { $0["resource"]?["id"]?.string } == ["b"])
            #expect(library.read(type: "Contract", id: "a", in: .r4) != nil)
        }
    }

    @Test func aListHasEachFormOnceInOneRelease() throws {
        try folder([
            "questionnaires/a.json": Self.dstu2, "questionnaires/b.json": Self.r4, "questionnaires/c.json": Self.stu3,
            "questionnaires/g.json": Self.dstu2.replacingOccurrences(of: #""id":"f""#, with: #""id":"g""#),
        ]) { folder in
            let library = PublishedLibrary(folder)
            for (release, ids, others) in [
                (FHIRRelease.dstu2, ["f", "g"], 0), (.stu3, ["f"], 1), (.r4, ["f", "g"], 0),
            ] {
                let bundle = try JSON(
                    library.search(
                        .init(
                            type: "Questionnaire", release: release, parameters: [("unknown", "x")], count: 9,
                            offset: 0, address: "http://x/fhir")
                    ).bytes)
                let entries = bundle["entry"]?.array ?? []
                #expect(
                    entries.filter { $0["search"]?["mode"] == "match" }
                        .compactMap { $0["resource"]?["id"]?.string } == ids)
                #expect(entries.filter { $0["search"]?["mode"] == "outcome" }.count == others)
                #expect(bundle["total"]?.number?.text == "\(ids.count)")
                #expect(bundle["link"]?[0]?["url"] == "http://x/fhir/Questionnaire?_count=9")
                for entry in entries where entry["search"]?["mode"] == "match" {
                    let resource = Resource(try #require(entry["resource"]?.object))
                    #expect(FHIRVersion.candidates(of: resource).contains(FHIRVersion(release)))
                }
            }
        }
    }
}
