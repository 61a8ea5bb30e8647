import Foundation
import HealthData

/// The meanings of the texts in the head of an electrocardiogram. The head is in the language of the phone.
///
/// Only texts from Apple's files and manuals are included: a wrong guess about a classification is worse than an
/// unknown one.
enum ElectrocardiogramWords {
    /// The lines of the head.
    enum Label { case recorded, classification, symptoms, version, device, rate, lead, unit, heartRate, person }

    /// Returns the line of a label; nil for an unknown language.
    static func label(_ text: String) -> Label? { labels[folded(text)] }

    /// Returns the classification; nil for an unknown text.
    static func classification(_ text: String) -> Electrocardiogram.Classification? {
        let words = folded(text)
        if let known = ElectrocardiogramFindings.byWords[words] { return known }
        // The limit of the heart rate differs between watches.
        if let known = ElectrocardiogramFindings.byBound[withoutNumbers(words)] { return known }
        // Atrial fibrillation is the result with any heart rate. The text after "inconclusive" is the reason.
        for (finding, first) in ElectrocardiogramFindings.byWords where words.hasPrefix(finding + " ") {
            if first == .atrialFibrillation { return first }
            guard first == .inconclusiveOther else { continue }
            switch ElectrocardiogramFindings.byWords[String(words.dropFirst(finding.count + 1))] {
            case .inconclusiveLowHeartRate: return .inconclusiveLowHeartRate
            case .inconclusiveHighHeartRate: return .inconclusiveHighHeartRate
            case .inconclusivePoorReading: return .inconclusivePoorReading
            default: continue
            }
        }
        return nil
    }

    /// Returns the text without numbers and without the unit of a heart rate.
    private static func withoutNumbers(_ words: String) -> String {
        let letters = words.unicodeScalars.map { $0.properties.numericType == .decimal ? " " : Character($0) }
        return String(letters).split(separator: " ").filter { !beatsPerMinute.contains(String($0)) }.joined(
            separator: " ")
    }

    /// Returns whether there were symptoms; nil for an unknown text.
    static func symptoms(_ text: String) -> Electrocardiogram.SymptomsStatus? {
        let words = folded(text)
        if words.isEmpty { return .notSet }
        if noSymptoms.contains(words) { return .absent }
        // Only a list of symptoms contains a separator.
        return text.contains(where: { ",;、،，；".contains($0) }) || symptomNames.contains(words) ? .present : nil
    }

    /// Returns whether the text means hertz.
    static func isHertz(_ text: String) -> Bool { hertz.contains(folded(text)) }

    /// Returns the factor from the unit to microvolts; nil if it is not a unit of voltage.
    static func microvolts(_ text: String) -> Int? {
        switch folded(text) {
        case "µv", "μv", "uv", "microvolt", "microvolts", "мкв": 1
        case "mv", "millivolt", "millivolts", "мв": 1000
        case "v", "volt", "volts", "в": 1_000_000
        default: nil
        }
    }

    /// Returns whether the text means beats per minute.
    static func isBeatsPerMinute(_ text: String) -> Bool { beatsPerMinute.contains(folded(text)) }

    /// Returns the text in lower case, without accents, and with each sequence of spaces, dashes, colons and
    /// parentheses replaced by one space.
    static func folded(_ text: String) -> String {
        text.folding(options: [.diacriticInsensitive, .caseInsensitive, .widthInsensitive], locale: nil)
            .split { $0.isWhitespace || "-–—−:()（）：\u{200E}\u{200F}\u{61C}".contains($0) }.joined(separator: " ")
    }

    private static let labels: [String: Label] = {
        var labels: [String: Label] = [:]
        for (label, words) in labelWords {
            for word in words.split(separator: ";") { labels[folded(String(word))] = label }
        }
        return labels
    }()

    private static let labelWords: [(Label, String)] = [
        (
            .person,
            """
            Name;Date of Birth;Geburtstag;Geburtsdatum;Nombre;Fecha de nacimiento;Nom;Date de naissance;Nome;Data di nascita;\
            Data de nascimento;Naam;Geboortedatum;Namn;Födelsedatum;Navn;Fødselsdato;Nimi;Syntymäaika;Imię i nazwisko;Imię;\
            Data urodzenia;Jméno;Datum narození;Meno;Dátum narodenia;Név;Születési dátum;Nume;Data nașterii;Όνομα;\
            Ημερομηνία γέννησης;Ad;Doğum Tarihi;Имя;Дата рождения;Ім’я;Дата народження;名前;氏名;生年月日;姓名;名字;出生日期;이름;생년월일;\
            ชื่อ;วันเกิด;Tên;Ngày sinh;Nama;Tanggal Lahir;Tarikh Lahir;שם;תאריך לידה;الاسم;تاريخ الميلاد;Ime;Datum rođenja;\
            Data de naixement;नाम;जन्मतिथि
            """
        ),
        (
            .recorded,
            """
            Recorded Date;Aufzeichnungsdatum;Fecha registrada;Fecha de registro;Date d’enregistrement;Data di registrazione;\
            Data do registro;Data de registo;記録日;记录日期;記錄日期;기록 날짜;기록일
            """
        ),
        (
            .classification,
            """
            Classification;Klassifizierung;Clasificación;Classificazione;Classificação;Classificatie;Klassificering;\
            Klassifisering;Klassifikation;Klassifikasjon;Luokitus;Luokittelu;Klasyfikacja;Klasifikace;Klasifikácia;Besorolás;\
            Osztályozás;Clasificare;Clasificație;Ταξινόμηση;Κατηγοριοποίηση;Sınıflandırma;Классификация;Класифікація;分類;分类;분류;\
            การจำแนก;การจำแนกประเภท;Phân loại;Klasifikasi;Pengelasan;סיווג;التصنيف;تصنيف;Klasifikacija;Classificació;वर्गीकरण
            """
        ),
        (
            .symptoms,
            """
            Symptoms;Symptome;Síntomas;Symptômes;Sintomi;Sintomas;Symptomen;Symtom;Symptomer;Oireet;Objawy;Příznaky;Symptomy;\
            Symptómy;Príznaky;Tünetek;Simptome;Συμπτώματα;Belirtiler;Semptomlar;Симптомы;Симптоми;症状;症狀;증상;อาการ;\
            Triệu chứng;Gejala;Simptom;תסמינים;סימפטומים;الأعراض;أعراض;Simptomi;Símptomes;लक्षण
            """
        ),
        (
            .version,
            """
            Software Version;Softwareversion;Versión de software;Version du logiciel;Versione software;Versão do Software;\
            Softwareversie;Programvaruversion;Programvareversjon;Ohjelmistoversio;Wersja oprogramowania;Verze softwaru;\
            Verzia softvéru;Szoftververzió;Versiune software;Yazılım Sürümü;Версия ПО;ソフトウェアバージョン;软件版本;軟體版本;軟件版本;소프트웨어 버전
            """
        ),
        (
            .device,
            """
            Device;Gerät;Dispositivo;Appareil;Apparaat;Enhet;Enhed;Laite;Urządzenie;Zařízení;Zariadenie;Eszköz;Dispozitiv;\
            Συσκευή;Aygıt;Устройство;Пристрій;デバイス;设备;裝置;기기;อุปกรณ์;Thiết bị;Perangkat;Peranti;מכשיר;الجهاز;Uređaj;\
            Dispositiu;डिवाइस
            """
        ),
        (
            .rate,
            """
            Sample Rate;Messrate;Abtastrate;Tasa de muestreo;Frecuencia de muestreo;Fréquence d’échantillonnage;\
            Frequenza di campionamento;Taxa de amostragem;Bemonsteringsfrequentie;Samplingsfrekvens;Samplingfrekvens;\
            Näytteenottotaajuus;Częstotliwość próbkowania;Vzorkovací frekvence;Vzorkovacia frekvencia;Mintavételi frekvencia;\
            Частота дискретизации;サンプルレート;サンプリングレート;采样率;取樣率;샘플 속도;샘플링 속도
            """
        ),
        (
            .lead,
            """
            Lead;Ableitung;Derivación;Dérivation;Derivazione;Derivação;Afleiding;Avledning;Afledning;Kytkentä;\
            Odprowadzenie;Svod;Zvod;Elvezetés;Derivație;Отведение;誘導;导联;導程;리드
            """
        ),
        (
            .unit,
            """
            Unit;Einheit;Unidad;Unité;Unità;Unidade;Eenheid;Yksikkö;Jednostka;Jednotka;Egység;Unitate;Μονάδα;Birim;\
            Единица;Единица измерения;Одиниця;単位;单位;單位;단위
            """
        ),
        (.heartRate, "Average Heart Rate;Heart Rate;Durchschnittliche Herzfrequenz"),
    ]

    private static let noSymptoms: Set<String> = Set(
        """
        None;No symptoms;Ohne;Keine;Aucun;Aucune;Ninguno;Ninguna;Nessuno;Nessuna;Nenhum;Nenhuma;Geen;Inga;Ingen;Ei mitään;\
        Ei oireita;Brak;Žádné;Žiadne;Nincs;Niciunul;Niciuna;Fără;Κανένα;Καμία;Yok;Нет;Немає;なし;無し;无;無;沒有;没有;없음;ไม่มี;\
        Không có;Không;Tidak ada;Tiada;ללא;אין;لا يوجد;لا توجد;لا شيء;Nema;Nijedan;Cap;कोई नहीं
        """.split(separator: ";").map { folded(String($0)) })

    /// The symptoms in the ECG app, in English.
    private static let symptomNames: Set<String> = [
        "rapid, pounding, or fluttering heartbeat", "skipped heartbeat", "fatigue", "shortness of breath",
        "chest tightness or pain", "fainting", "dizziness", "other",
    ]

    private static let hertz: Set<String> = Set(
        """
        Hz;hertz;hercios;hercio;hertsi;hertsiä;herc;herce;herców;hertzi;hertzů;гц;герц;герців;ヘルツ;赫兹;赫茲;헤르츠;เฮิรตซ์;הרץ;هرتز;हर्ट्ज़;हर्ट्ज
        """.split(separator: ";").map { folded(String($0)) })

    private static let beatsPerMinute: Set<String> = Set(
        "bpm;beats/min;beats/minute;count/min;/min;s/min;schlage/min;battements/min;lpm;ppm;fc;уд/мин;уд./мин;拍/分;回/分;次/分;次/分钟"
            .split(separator: ";").map { folded(String($0)) })
}
