import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite struct FilesRouteTests {
    static let points = [
        point(#"lon="-122.396397" lat="37.781672""#, "2019-06-11T22:00:42Z", ele: "4.076904"),
        point(#"lon="-122.396396" lat="37.781670""#, "2019-06-11T22:00:42.250Z", ele: "4.083609"),
        point(#"lat='37.78' lon = '-122.4'"#, "2019-06-11T23:00:43+01:00", ele: "0"),
    ]

    static func point(_ coordinates: String, _ time: String, ele: String) -> String {
        """
        <trkpt \(coordinates)><ele>\(ele)</ele><time>\(time)</time><extensions><speed>0.180883</speed>\
        <course>206.252884</course><hAcc>8.063116</hAcc><vAcc>6.428697</vAcc></extensions></trkpt>
        """
    }

    static func file(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
          <metadata>
            <time>2019-11-07T03:43:52Z</time>
          </metadata>
          <trk>
            <name>Route 2019-06-11 3:00pm</name>
            <trkseg>
        \(body)
            </trkseg>
          </trk>
        </gpx>
        """
    }

    static func read(_ text: String, pieces: Int = 11) -> Result<RouteFile, ExportFileProblem> {
        var reader = RouteReader()
        Pieces.feed(Array(text.utf8), size: pieces) { reader.feed($0) }
        return reader.finish()
    }

    static func problem(_ text: String) -> ExportFileProblem? {
        if case .failure(let problem) = read(text) { problem } else { nil }
    }

    @Test(arguments: [1, 2, 7, 64, 100_000]) func aRouteInPiecesOfEverySizeWithTheDigitsOfTheFile(pieces: Int) throws {
        let file = try Self.read(Self.file(Self.points.joined(separator: "\n")), pieces: pieces).get()
        #expect(file.notes.isEmpty)
        #expect(file.track.latitudes.data == "37.781672 37.781670 37.78")
        #expect(file.track.longitudes.data == "-122.396397 -122.396396 -122.4")
        #expect(file.track.elevations.data == "4.076904 4.083609 0")
        #expect(file.track.speeds.data == "0.180883 0.180883 0.180883")
        #expect(file.track.courses.data == "206.252884 206.252884 206.252884")
        #expect(file.track.offsets.data == "0 0.25 1")
        #expect(file.track.start == 1_560_290_442_000)
    }

    @Test(.enabled(if: PublishedData.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func theRouteOfTheExportInTheConformanceData() throws {
        let routes = "apple-health/apple_health_export/workout-routes"
        let route = try #require(PublishedData.url("\(routes)/route_2019-06-11_3.00pm.gpx"))
        let file = try Self.read(String(decoding: Data(contentsOf: route), as: UTF8.self)).get()
        #expect(file.notes.isEmpty)
        #expect(file.track.count == 3)
        #expect(file.track.longitudes.data == "-122.396397 -122.396396 -122.396394")
        #expect(file.track.verticalAccuracies.data == "6.428697 6.481525 6.549587")
    }

    @Test func pointsWithoutCoordinatesOrTimeAreLeftOutAndReported() throws {
        let broken = [
            Self.point(#"lon="1""#, "2019-06-11T22:00:42Z", ele: "1"),
            Self.point(#"lat="1" lon="2""#, "soon", ele: "1"),
            Self.point(#"lat="NaN" lon="2""#, "2019-06-11T22:00:42Z", ele: "1"), #"<trkpt lat="1" lon="2"/>"#,
            Self.point(#"lat="100" lon="2""#, "2019-06-11T22:00:42Z", ele: "1"),
            Self.point(#"lat="1" lon="2""#, "9999-12-31T00:00:00Z", ele: "1"),
        ]
        for point in broken {
            let file = try Self.read(Self.file(Self.points[0] + point + Self.points[1])).get()
            #expect(file.track.count == 2)
            #expect(file.notes == [.pointsDropped], "\(point)")
            #expect(Self.problem(Self.file(point)) == .routeWithoutPoints)
        }
    }

    @Test func unknownValuesAreGaps() throws {
        let text = Self.points[0].replacing("206.252884", with: "-1").replacing("4.076904", with: "1e309")
        let file = try Self.read(Self.file(text)).get()
        #expect(file.track.courses.data == "E")
        #expect(file.track.elevations.data == "E")
    }

    @Test func commentsCDATAInstructionsPrefixesAndUnknownElementsAreReadOver() throws {
        let around = """
            <!-- <trkpt lat="9" lon="9"> > --><?note <trkpt>?><![CDATA[<trkpt lat="8" lon="8">]]><foo a=">"><bar/></foo>
            """
        let file = try Self.read(
            Self.file(around + Self.points[0].replacing("speed>", with: "a:speed>") + around), pieces: 1
        ).get()
        #expect(file.track.count == 1)
        #expect(file.track.speeds.data == "0.180883")
        #expect(file.notes.isEmpty)
    }

    @Test func documentTypeIsRefusedAndEntitiesAreNotRead() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaa">]><gpx><trk><trkseg>&a;</trkseg></trk></gpx>
            """
        #expect(Self.problem(bomb) == .routeWithDocumentType)
        #expect(Self.problem(bomb.replacing("DOCTYPE", with: "doctype")) == .routeWithDocumentType)
    }

    @Test func fileThatIsNotARouteIsRefused() {
        #expect(Self.problem("") == .empty)
        #expect(Self.problem("Name,Robin\n") == .notARoute)
        #expect(Self.problem("<HealthData></HealthData>") == .notARoute)
        #expect(Self.problem("PK\u{3}\u{4}") == .notARoute)
        #expect(Self.problem("<gpx></gpx>") == .routeWithoutPoints)
        var reader = RouteReader()
        let piece = [UInt8](repeating: 0x20, count: 1 << 16)
        for _ in 0..<2 { piece.withUnsafeBytes { reader.feed($0) } }
        #expect(reader.problem == .notARoute)
        #expect(reader.isDone)
    }

    @Test func truncatedRouteGivesItsCompletePointsAndReportsTheCut() {
        let bytes = Array(Self.file(Self.points.joined()).utf8)
        for length in 0..<bytes.count {
            var reader = RouteReader()
            Pieces.feed(Array(bytes[..<length]), size: 32) { reader.feed($0) }
            switch reader.finish() {
            case .success(let file): #expect(file.notes.contains(.cutOff))
            case .failure(let problem): #expect([.empty, .notARoute, .routeWithoutPoints].contains(problem))
            }
        }
    }

    @Test func aTagWithoutEndAndAnAttributeOfMegabytesAreReadOverInLittleMemory() throws {
        let text = Self.file("<foo a=\"" + String(repeating: "x", count: 100_000) + "\">" + Self.points[0])
        #expect(try Self.read(text, pieces: 4096).get().track.count == 1)
        let long = Self.points[0].replacing("4.076904", with: String(repeating: "4", count: 10_000))
        #expect(try Self.read(Self.file(long), pieces: 4096).get().track.elevations.data == "E")
    }

    @Test func pointsBeyondTheLimitAreNotRead() throws {
        var reader = RouteReader(limit: 5000)
        let number = String(repeating: "0", count: 20)
        let point = Self.point("lat=\"1.\(number)1\" lon=\"2.\(number)1\"", "2019-06-11T22:00:42Z", ele: "1")
        Array("<gpx><trk>".utf8).withUnsafeBytes { reader.feed($0) }
        let points = Array(String(repeating: point, count: 100).utf8)
        var rounds = 0
        while !reader.isDone, rounds < 100 {
            points.withUnsafeBytes { reader.feed($0) }
            rounds += 1
        }
        let file = try reader.finish().get()
        #expect(file.notes == [.pointsBeyondLimit])
        #expect(file.track.latitudes.data.utf8.count <= 5000)
        #expect(file.track.count > 200)
    }

    @Test func routePointsInTheXMLOfOldExportsAreRead() throws {
        let attributes = [
            "date": "2016-11-14 07:25:44 -0700", "latitude": "37.7777", "longitude": "-122.426", "altitude": "21.2694",
            "horizontalAccuracy": "2.40948", "verticalAccuracy": "1.67859", "course": "-1", "speed": "2.48034",
        ]
        let point = try #require(RouteTrack.Point { attributes[$0] })
        var track = RouteTrack()
        let isTaken = track.add(point)
        #expect(isTaken)
        #expect(track.latitudes.data == "37.7777")
        #expect(track.courses.data == "E")
        #expect(track.start == 1_479_133_544_000)
        #expect(RouteTrack.Point { attributes[$0 == "date" ? "" : $0] } == nil)
    }
}
