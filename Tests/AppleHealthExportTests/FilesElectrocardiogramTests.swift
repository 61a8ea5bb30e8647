import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct FilesElectrocardiogramTests {
    static let english = """
        Name,Robin Example
        Date of Birth,"Jan 8, 1980"
        Recorded Date,2021-07-18 08:14:03 +0200
        Classification,Sinus Rhythm
        Symptoms,None
        Software Version,1.90
        Device,"Watch7,12"
        Sample Rate,512 hertz


        Lead,Lead I
        Unit,µV

        150.141
        151.2
        -3.50

        """

    static let german = """
        Name,Robin Example
        Geburtstag,"08.01.1980"
        Aufzeichnungsdatum,2020-07-31 22:48:19 +0200
        Klassifizierung,Uneindeutig
        Symptome,
        Softwareversion,1.13
        Gerät,"Watch4,2"
        Messrate,511,562\u{A0}Hertz


        Ableitung,Ableitung I
        Einheit,µV

        -180,596
        -199,83
        1.217,333

        """

    /// A language whose words for the lines are not known: lines are recognised by position and content.
    static let french = """
        Nom,Robin Example
        Date de naissance,"8 janv. 1980"
        Date d’enregistrement,2022-02-03 21:04:05 +0100
        Classement,Rythme sinusal
        Symptômes,"Vertiges, Fatigue"
        Version du logiciel,2.0
        Appareil,"Watch6,7"
        Fréquence d’échantillonnage,512 hertz


        Dérivation,Dérivation I
        Unité,µV

        12,5
        −1\u{202F}234,75
        0

        """

    static func read(_ text: String, pieces: Int = 7) -> Result<ElectrocardiogramFile, ExportFileProblem> {
        var reader = ElectrocardiogramReader()
        Pieces.feed(Array(text.utf8), size: pieces) { reader.feed($0) }
        return reader.finish()
    }

    static func data(_ file: ElectrocardiogramFile) -> String { file.electrocardiogram.voltages.series.data }

    @Test(arguments: [1, 2, 3, 5, 64, 100_000]) func anEnglishFileInPiecesOfEverySize(pieces: Int) throws {
        let file = try Self.read(Self.english, pieces: pieces).get()
        let read = file.electrocardiogram
        #expect(read.start.text == "2021-07-18T08:14:03+02:00")
        #expect(read.classification == .sinusRhythm)
        #expect(read.symptoms == .absent)
        #expect(read.samplingFrequency.text == "512")
        #expect(read.averageHeartRate == nil)
        #expect(Self.data(file) == "150.141 151.2 -3.50")
        #expect(read.voltages.microvoltFactor == 1)
        let watch = HealthDevice(product: .appleWatch, manufacturer: "Apple", hardware: "Watch7,12")
        #expect(read.origin.source == HealthSource(product: .appleWatch, version: "1.90", device: watch))
        #expect(read.observation(subject: "p1").device?.reference == "Device/" + watch.resourceID(subject: "p1"))
        #expect(file.notes.isEmpty)
    }

    @Test func germanFileHasTranslatedNamesAndDecimalCommas() throws {
        let file = try Self.read(Self.german).get()
        #expect(file.electrocardiogram.start.text == "2020-07-31T22:48:19+02:00")
        #expect(file.electrocardiogram.classification == .inconclusiveOther)
        #expect(file.electrocardiogram.symptoms == .notSet)
        #expect(file.electrocardiogram.samplingFrequency.text == "511.562")
        #expect(Self.data(file) == "-180.596 -199.83 1217.333")
        #expect(file.electrocardiogram.origin.source?.device?.hardware == "Watch4,2")
        #expect(file.notes.isEmpty)
    }

    @Test func frenchFileHasUnknownNamesAndItsOwnMinusAndBlanks() throws {
        let file = try Self.read(Self.french).get()
        #expect(file.electrocardiogram.start.text == "2022-02-03T21:04:05+01:00")
        #expect(file.electrocardiogram.classification == .sinusRhythm)
        #expect(file.electrocardiogram.symptoms == .present)
        #expect(Self.data(file) == "12.5 -1234.75 0")
        #expect(file.electrocardiogram.origin.source?.version == "2.0")
        #expect(file.notes.isEmpty)
    }

    @Test(arguments: [
        FilesElectrocardiogramTests.english, FilesElectrocardiogramTests.german, FilesElectrocardiogramTests.french,
    ])
    func resultOfAFileContainsNeitherNameNorBirthDate(text: String) throws {
        let file = try Self.read(text).get()
        let left = String(describing: file) + file.electrocardiogram.observation(subject: "p1").json.text()
        for name in ["Robin", "Example", "1980", "janv", "08.01"] { #expect(!left.contains(name), "\(name)") }
    }

    @Test(
        arguments: [
            ("Sinus Rhythm", .sinusRhythm), ("Atrial Fibrillation", .atrialFibrillation),
            ("Atrial Fibrillation — High Heart Rate", .atrialFibrillation), ("Inconclusive", .inconclusiveOther),
            ("Poor Recording", .inconclusivePoorReading), ("High Heart Rate", .inconclusiveHighHeartRate),
            ("Low Heart Rate", .inconclusiveLowHeartRate), ("Heart Rate Over 120", .inconclusiveHighHeartRate),
            ("Heart Rate Under 50", .inconclusiveLowHeartRate), ("Sinusrhythmus", .sinusRhythm),
            ("Vorhofflimmern", .atrialFibrillation), ("Fibrilación auricular", .atrialFibrillation),
            ("Ritmo sinusale", .sinusRhythm), ("", nil),
        ] as [(String, Electrocardiogram.Classification?)])
    func findingsInWords(words: String, finding: Electrocardiogram.Classification?) throws {
        let file = try Self.read(Self.english.replacing("Sinus Rhythm", with: words)).get()
        #expect(file.electrocardiogram.classification == finding)
        #expect(file.notes.isEmpty)
    }

    @Test func unknownWordsAreReportedAndNotGuessed() throws {
        let file = try Self.read(
            Self.english.replacing("Sinus Rhythm", with: "Zzrythmo").replacing("None", with: "Zznulo")
        ).get()
        #expect(file.electrocardiogram.classification == nil && file.electrocardiogram.hasUnknownClassification)
        let text = file.electrocardiogram.observation(subject: "p1").json.text()
        #expect(!text.contains("HKElectrocardiogramClassification") && !text.contains("Zz"))
        let component = try #require(
            file.electrocardiogram.observation(subject: "p1").component.first {
                $0.code?.coding.first?.code == "HKElectrocardiogram.Classification"
            })
        #expect(component.value == nil)
        #expect(component.object["dataAbsentReason"]?.at("coding")?[0]?["code"]?.string == "unknown")
        #expect(file.electrocardiogram.symptoms == nil)
        #expect(file.notes == [.classificationUnrecognised, .symptomsUnrecognised])
    }

    /// HealthKit's own "unrecognized" is a code of HealthKit, and not a finding of a file.
    @Test(arguments: ["Unrecognized", "unbekannt", "12", "—", "洞调律"])
    func unknownClassificationOfAFileIsNotHealthKitsUnrecognized(words: String) throws {
        let file = try Self.read(Self.english.replacing("Sinus Rhythm", with: words)).get()
        #expect(file.electrocardiogram.classification == nil)
        #expect(file.notes == [.classificationUnrecognised])
        #expect(!file.electrocardiogram.observation(subject: nil).json.text().contains("Unrecognized"))
    }

    @Test(
        arguments: [
            ("洞調律", .sinusRhythm), ("心房細動", .atrialFibrillation), ("동리듬", .sinusRhythm), ("심방세동", .atrialFibrillation),
            ("Fréquence cardiaque élevée", .inconclusiveHighHeartRate),
            ("Fréquence cardiaque supérieure à 120 BPM", .inconclusiveHighHeartRate),
            ("Rythme sinusal", .sinusRhythm), ("Non concluant", .inconclusiveOther),
            ("Non concluant — fréquence cardiaque basse", .inconclusiveLowHeartRate),
            ("Förmaksflimmer", .atrialFibrillation), ("Atrieflimren", .atrialFibrillation),
            ("Sinusrytmi", .sinusRhythm),
            ("Eteisvärinä", .atrialFibrillation), ("Rytm zatokowy", .sinusRhythm),
            ("Migotanie przedsionków", .atrialFibrillation), ("Fibrilace síní", .atrialFibrillation),
            ("Fibrilácia predsiení", .atrialFibrillation), ("Szinuszritmus", .sinusRhythm),
            ("Pitvarfibrilláció", .atrialFibrillation), ("Fibrilație atrială", .atrialFibrillation),
            ("Φλεβοκομβικός ρυθμός", .sinusRhythm), ("ΚΟΛΠΙΚΉ ΜΑΡΜΑΡΥΓΉ", .atrialFibrillation),
            ("Atriyal Fibrilasyon", .atrialFibrillation), ("Синусовый ритм", .sinusRhythm),
            ("Фібриляція передсердь", .atrialFibrillation), ("窦性心律", .sinusRhythm), ("竇性心律", .sinusRhythm),
            ("心房颤动", .atrialFibrillation), ("心房顫動", .atrialFibrillation), ("高心率", .inconclusiveHighHeartRate),
            ("Nhịp xoang", .sinusRhythm), ("Rung nhĩ", .atrialFibrillation), ("Fibrilasi Atrium", .atrialFibrillation),
            ("פרפור פרוזדורים", .atrialFibrillation), ("رجفان أذيني", .atrialFibrillation),
            ("Fibrilacija atrija", .atrialFibrillation), ("Fibril·lació auricular", .atrialFibrillation),
            ("Fibrilhação auricular", .atrialFibrillation), ("Niet eenduidig", .inconclusiveOther),
            ("Schlechte Aufzeichnung", .inconclusivePoorReading), ("判定不能", .inconclusiveOther),
            ("Vorhofflimmern – hohe Herzfrequenz", .atrialFibrillation),
            ("Herzfrequenz unter 50", .inconclusiveLowHeartRate),
        ] as [(String, Electrocardiogram.Classification)])
    func findingsInTheLanguagesOfTheHealthApp(words: String, finding: Electrocardiogram.Classification) throws {
        for text in [
            Self.english.replacing("Sinus Rhythm", with: words), Self.french.replacing("Rythme sinusal", with: words),
        ] {
            let file = try Self.read(text).get()
            #expect(file.electrocardiogram.classification == finding)
            #expect(file.notes.isEmpty)
        }
    }

    /// A file of a phone in Japanese: labels, a date and digits of full width.
    @Test func aJapaneseFile() throws {
        let file = try Self.read(
            """
            名前,"試験 太郎"
            生年月日,"1970/01/01"
            記録日,２０２６-01-02 10:00:00 +0900
            分類,心房細動
            症状,なし
            ソフトウェアバージョン,2.0
            デバイス,"Watch6,1"
            サンプルレート,512ヘルツ

            誘導,I 誘導
            単位,µV

            -12.5
            3

            """
        ).get()
        #expect(file.electrocardiogram.start.text == "2026-01-02T10:00:00+09:00")
        #expect(file.electrocardiogram.classification == .atrialFibrillation)
        #expect(file.electrocardiogram.symptoms == .absent)
        #expect(file.electrocardiogram.origin.source?.version == "2.0")
        #expect(file.notes.isEmpty)
        #expect(!file.electrocardiogram.observation(subject: "p1").json.text().contains("太郎"))
    }

    @Test func eachWordMeansOneFinding() {
        var seen: [String: Electrocardiogram.Classification] = [:]
        for (finding, words) in ElectrocardiogramFindings.words + ElectrocardiogramFindings.bounds {
            for word in words.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
                let folded = ElectrocardiogramWords.folded(String(word))
                #expect(!folded.isEmpty)
                #expect(seen[folded] == nil || seen[folded] == finding, "\(word)")
                seen[folded] = finding
            }
        }
        #expect(seen.count > 300)
    }

    @Test func rateWithAnUnknownUnitIsRecognisedByItsPosition() throws {
        let text = Self.french.replacing("512 hertz", with: "512 χερτζ")
        let file = try Self.read(text).get()
        #expect(file.electrocardiogram.samplingFrequency.text == "512")
        #expect(file.notes == [.rateUnitUnrecognised])
    }

    @Test func aHeartRateInTheHeadIsReadInAnyFashion() throws {
        for (line, rate) in [("Average Heart Rate,64 bpm", "64"), ("Average Heart Rate,\"63,7 BPM\"", "63.7")] {
            let text = Self.english.replacing("Symptoms", with: line + "\nSymptoms")
            let file = try Self.read(text).get()
            #expect(file.electrocardiogram.averageHeartRate?.text == rate)
            #expect(file.electrocardiogram.symptoms == .absent)
        }
    }

    @Test func millivoltsAreReadAndOtherUnitsRefused() throws {
        let file = try Self.read(Self.english.replacing("µV", with: "mV")).get()
        #expect(file.electrocardiogram.voltages.microvoltFactor == 1000)
        for unit in ["bpm", "", "µA"] {
            #expect(
                Self.problem(Self.english.replacing("Unit,µV", with: "Unit,\(unit)")) == .electrocardiogramWithoutUnit)
        }
        // The Greek letter and the sign are two characters.
        #expect(Self.problem(Self.english.replacing("µV", with: "\u{3BC}V")) == nil)
    }

    @Test func lineEndsOfAllSystemsAMarkOfTheByteOrderALastLineWithoutAnEnd() throws {
        let wanted = Self.data(try Self.read(Self.english).get())
        for text in [
            Self.english.replacing("\n", with: "\r\n"), Self.english.replacing("\n", with: "\r"),
            "\u{FEFF}" + Self.english, String(Self.english.dropLast(1)),
        ] {
            #expect(Self.data(try Self.read(text, pieces: 1).get()) == wanted)
        }
    }

    @Test func fileInLatin1IsReadAndReported() throws {
        let bytes = Self.german.unicodeScalars.compactMap { $0.value < 256 ? UInt8($0.value) : nil }
        var reader = ElectrocardiogramReader()
        Pieces.feed(bytes, size: 9) { reader.feed($0) }
        let file = try reader.finish().get()
        #expect(file.electrocardiogram.voltages.microvoltFactor == 1)
        #expect(file.electrocardiogram.samplingFrequency.text == "511.562")
        #expect(file.notes == [.illegalCharacters])
    }

    @Test func unreadableLineIsAGap() throws {
        let values = (0..<30).map { "\($0).5" }.joined(separator: "\n")
        for bad in ["NaN", "1e309", "nonsense", "I,0.001", String(repeating: "9", count: 10_000)] {
            let file = try Self.read(Self.english + bad + "\n" + values + "\n").get()
            #expect(Self.data(file).hasPrefix("150.141 151.2 -3.50 E 0.5 1.5"), "\(bad.prefix(8))")
            #expect(file.notes == [.voltagesUnreadable])
        }
        #expect(Self.problem(Self.english + "x\ny\nz\n") == .electrocardiogramUnreadable)
    }

    @Test func signAtTheEndOfAFileIsNotAVoltage() throws {
        let file = try Self.read(Self.english + "-").get()
        #expect(Self.data(file) == "150.141 151.2 -3.50")
        #expect(file.notes == [.cutOff])
    }

    static func problem(_ text: String) -> ExportFileProblem? {
        if case .failure(let problem) = read(text) { problem } else { nil }
    }

    @Test func truncatedFileIsRefusedOrYieldsItsCompleteVoltages() throws {
        let bytes = Array(Self.german.utf8)
        for length in 0..<bytes.count {
            var reader = ElectrocardiogramReader()
            Pieces.feed(Array(bytes[..<length]), size: 16) { reader.feed($0) }
            switch reader.finish() {
            case .success(let file): #expect(Self.data(file).hasPrefix("-1"))
            case .failure(let problem): #expect(problem != .tooLarge)
            }
        }
    }

    @Test func eachMissingPartHasItsOwnProblem() {
        #expect(Self.problem("") == .empty)
        #expect(Self.problem("time,value\n1,2\n") == .notAnElectrocardiogram)
        #expect(Self.problem("1\n2\n3\n") == .notAnElectrocardiogram)
        #expect(
            Self.problem(Self.english.replacing("2021-07-18 08:14:03 +0200", with: "yesterday"))
                == .electrocardiogramWithoutDate)
        #expect(Self.problem(Self.english.replacing("2021-07-18", with: "9999-12-31")) == .electrocardiogramWithoutDate)
        #expect(Self.problem(Self.english.replacing("512 hertz", with: "")) == .electrocardiogramWithoutRate)
        #expect(Self.problem(Self.english.replacing("512 hertz", with: "0 hertz")) == .electrocardiogramWithoutRate)
        #expect(Self.problem(String(Self.english.prefix(while: { $0 != "µ" }))) == .electrocardiogramWithoutVoltages)
        #expect(Self.problem(Self.english + "1.5\n2,5\n") == .electrocardiogramAmbiguous)
    }

    @Test func aLineOfGigabytesAndAFileWithoutEndAreRefusedInLittleMemory() {
        let piece = [UInt8](repeating: UInt8(ascii: "7"), count: 1 << 16)
        var reader = ElectrocardiogramReader(maximumBytes: 1 << 18)
        for _ in 0..<5 { piece.withUnsafeBytes { reader.feed($0) } }
        #expect(reader.problem == .tooLarge)
        let lines = Array(String(repeating: "12.345\n", count: 1 << 14).utf8)
        var endless = ElectrocardiogramReader()
        Array(Self.english.utf8).withUnsafeBytes { endless.feed($0) }
        for _ in 0..<10 { lines.withUnsafeBytes { endless.feed($0) } }
        #expect(endless.problem == .tooLarge)
        let head = Array(String(repeating: "a,b\n", count: 200).utf8)
        var other = ElectrocardiogramReader()
        head.withUnsafeBytes { other.feed($0) }
        #expect(other.problem == .notAnElectrocardiogram)
    }

    @Test func observationHasTheValuesOfTheFile() throws {
        let file = try Self.read(Self.german).get()
        let observation = file.electrocardiogram.observation(subject: "p1")
        let data = observation.component.last?.value?.json
        #expect(data?["data"]?.string == "-180.596 -199.83 1217.333")
        #expect(data?["period"]?.number?.text == "1.95479726797533828")
        #expect(observation.component.first { $0.code?.coding.first?.code == "8867-4" } == nil)
    }
}

/// Feeds bytes in pieces.
enum Pieces {
    static func feed(_ bytes: [UInt8], size: Int, to feed: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: max(1, size)) {
                feed(UnsafeRawBufferPointer(rebasing: all[start..<min(start + max(1, size), all.count)]))
            }
        }
    }
}
