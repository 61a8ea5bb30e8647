import HealthData

/// The texts for the classification of an electrocardiogram in the languages of Apple's Health app.
///
/// The text is in the language of the phone. Each row has the texts of one language or of languages that share them; a
/// language has several texts if versions of the app or countries differ. A text with two meanings is in no row:
/// unknown texts are reported, and never guessed.
enum ElectrocardiogramFindings {
    /// The classifications by their text, folded (``ElectrocardiogramWords/folded(_:)``).
    static let byWords = table(words)

    /// Classifications that contain a limit of the heart rate, by their text without the number.
    static let byBound = table(bounds)

    private static func table(
        _ rows: [(Electrocardiogram.Classification, String)]
    ) -> [String: Electrocardiogram.Classification] {
        var table: [String: Electrocardiogram.Classification] = [:]
        for (finding, words) in rows {
            for word in words.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
                table[ElectrocardiogramWords.folded(String(word))] = finding
            }
        }
        return table
    }

    static let words: [(Electrocardiogram.Classification, String)] = [
        (.notSet, "Not Set"),
        (
            .sinusRhythm,
            """
            Sinus Rhythm
            Sinusrhythmus
            Rythme sinusal;Rythme sinusal normal
            Ritmo sinusal
            Ritmo sinusale
            Sinusritme
            Sinusrytm
            Sinusrytme
            Sinusrytmi
            Rytm zatokowy
            Sinusový rytmus
            Sínusový rytmus
            Szinuszritmus;Szinusz ritmus
            Ritm sinusal
            Φλεβοκομβικός ρυθμός
            Sinüs Ritmi
            Синусовый ритм
            Синусовий ритм
            Синусов ритъм
            洞調律;正常洞調律
            동리듬;동 리듬;동성 리듬;동성리듬;동율동;정상 동리듬;굴심방결절 리듬;굴리듬
            窦性心律
            竇性心律;竇性節律
            จังหวะไซนัส;จังหวะไซนัสปกติ;จังหวะการเต้นของหัวใจแบบไซนัส;ไซนัสริทึม
            Nhịp xoang
            Ritme Sinus;Irama Sinus
            Ritma Sinus
            קצב סינוס;קצב סינוסי;מקצב סינוס;מקצב סינוסי
            إيقاع جيبي;الإيقاع الجيبي;نظم جيبي;النظم الجيبي
            Sinusni ritam;Sinus ritam;Sinusni ritem
            Ritme sinusal
            साइनस रिदम;साइनस लय;साइनस ताल
            """
        ),
        (
            .atrialFibrillation,
            """
            Atrial Fibrillation;AFib
            Vorhofflimmern
            Fibrillation auriculaire;Fibrillation atriale
            Fibrilación auricular;Fibrilación atrial
            Fibrillazione atriale
            Fibrilação atrial;Fibrilhação auricular;Fibrilação auricular
            Boezemfibrilleren;Atriumfibrilleren;Boezemfibrillatie
            Förmaksflimmer
            Atrieflimren;Atrieflimmer
            Eteisvärinä
            Migotanie przedsionków
            Fibrilace síní
            Fibrilácia predsiení
            Pitvarfibrilláció
            Fibrilație atrială
            Κολπική μαρμαρυγή
            Atriyal Fibrilasyon
            Фибрилляция предсердий;Мерцательная аритмия
            Фібриляція передсердь;Миготлива аритмія
            Предсърдно мъждене
            心房細動
            심방세동;심방 세동
            心房颤动;房颤
            心房顫動;心房震顫;心房纖維性顫動;心房纖維顫動
            ภาวะหัวใจห้องบนสั่นพลิ้ว;หัวใจห้องบนสั่นพลิ้ว
            Rung nhĩ
            Fibrilasi Atrium;Fibrilasi Atrial
            פרפור פרוזדורים;פרפור עליות
            رجفان أذيني;الرجفان الأذيني
            Fibrilacija atrija;Atrijska fibrilacija
            Fibril·lació auricular
            एट्रियल फ़िब्रिलेशन;एट्रियल फिब्रिलेशन;अलिंद विकंपन
            """
        ),
        (
            .inconclusiveHighHeartRate,
            """
            High Heart Rate
            Hohe Herzfrequenz;Herzfrequenz hoch
            Fréquence cardiaque élevée;Rythme cardiaque élevé
            Frecuencia cardiaca alta;Frecuencia cardiaca elevada;Ritmo cardiaco alto;Ritmo cardiaco elevado
            Frequenza cardiaca elevata;Frequenza cardiaca alta;Battito cardiaco elevato
            Frequência cardíaca alta;Frequência cardíaca elevada;Ritmo cardíaco elevado
            Hoge hartslag;Hoge hartfrequentie
            Hög puls;Hög hjärtfrekvens
            Høj puls;Høj hjertefrekvens
            Høy puls;Høy hjertefrekvens
            Korkea syke;Nopea syke
            Wysokie tętno
            Vysoký tep;Vysoká tepová frekvence;Vysoká srdeční frekvence
            Vysoká tepová frekvencia;Vysoká srdcová frekvencia
            Magas pulzus;Magas pulzusszám;Magas szívfrekvencia
            Puls ridicat;Puls mare;Ritm cardiac ridicat;Frecvență cardiacă ridicată;Frecvență cardiacă crescută
            Υψηλός καρδιακός ρυθμός;Υψηλοί καρδιακοί παλμοί;Υψηλή καρδιακή συχνότητα;Υψηλοί παλμοί
            Yüksek Nabız;Yüksek Kalp Hızı;Yüksek Kalp Atış Hızı
            Высокая ЧСС;Высокий пульс;Высокая частота сердечных сокращений;Повышенная ЧСС
            Висока ЧСС;Високий пульс;Висока частота серцевих скорочень
            Висок пулс
            高心拍数;高い心拍数;心拍数が高い;心拍数が多い;心拍数高
            높은 심박수;고심박수;빠른 심박수;심박수 높음
            高心率;心率过高;心率偏高;心率过快;心率高
            心率過高;心率過快;高心跳率;心跳率過高;心跳過快
            อัตราการเต้นของหัวใจสูง;หัวใจเต้นเร็ว
            Nhịp tim cao
            Detak Jantung Tinggi;Denyut Jantung Tinggi
            Kadar Jantung Tinggi;Kadar Denyutan Jantung Tinggi;Kadar Degupan Jantung Tinggi
            דופק גבוה;קצב לב גבוה;קצב הלב גבוה
            معدل نبضات القلب مرتفع;معدل نبضات قلب مرتفع;ارتفاع معدل نبضات القلب;معدل ضربات القلب مرتفع;نبض مرتفع
            Visok puls;Visoka frekvencija srca;Visok broj otkucaja srca
            Freqüència cardíaca alta;Freqüència cardíaca elevada
            उच्च हृदय गति;अधिक हृदय गति;तेज़ हृदय गति;हाई हार्ट रेट
            """
        ),
        (
            .inconclusiveLowHeartRate,
            """
            Low Heart Rate
            Niedrige Herzfrequenz;Herzfrequenz niedrig
            Fréquence cardiaque basse;Fréquence cardiaque faible;Rythme cardiaque bas
            Frecuencia cardiaca baja;Ritmo cardiaco bajo
            Frequenza cardiaca bassa;Battito cardiaco basso
            Frequência cardíaca baixa;Ritmo cardíaco baixo
            Lage hartslag;Lage hartfrequentie
            Låg puls;Låg hjärtfrekvens
            Lav puls;Lav hjertefrekvens
            Matala syke;Hidas syke
            Niskie tętno
            Nízký tep;Nízká tepová frekvence;Nízká srdeční frekvence
            Nízka tepová frekvencia;Nízka srdcová frekvencia;Nízky tep
            Alacsony pulzus;Alacsony pulzusszám;Alacsony szívfrekvencia
            Puls scăzut;Puls mic;Ritm cardiac scăzut;Frecvență cardiacă scăzută
            Χαμηλός καρδιακός ρυθμός;Χαμηλοί καρδιακοί παλμοί;Χαμηλή καρδιακή συχνότητα;Χαμηλοί παλμοί
            Düşük Nabız;Düşük Kalp Hızı;Düşük Kalp Atış Hızı
            Низкая ЧСС;Низкий пульс;Низкая частота сердечных сокращений;Пониженная ЧСС
            Низька ЧСС;Низький пульс;Низька частота серцевих скорочень
            Нисък пулс
            低心拍数;低い心拍数;心拍数が低い;心拍数が少ない;心拍数低
            낮은 심박수;저심박수;느린 심박수;심박수 낮음
            低心率;心率过低;心率偏低;心率过慢;心率低
            心率過低;心率過慢;低心跳率;心跳率過低;心跳過慢
            อัตราการเต้นของหัวใจต่ำ;หัวใจเต้นช้า
            Nhịp tim thấp
            Detak Jantung Rendah;Denyut Jantung Rendah
            Kadar Jantung Rendah;Kadar Denyutan Jantung Rendah;Kadar Degupan Jantung Rendah
            דופק נמוך;קצב לב נמוך;קצב הלב נמוך
            معدل نبضات القلب منخفض;معدل نبضات قلب منخفض;انخفاض معدل نبضات القلب;معدل ضربات القلب منخفض;نبض منخفض
            Nizak puls;Niska frekvencija srca;Nizak broj otkucaja srca
            Freqüència cardíaca baixa
            निम्न हृदय गति;कम हृदय गति;धीमी हृदय गति;लो हार्ट रेट
            """
        ),
        (
            .inconclusivePoorReading,
            """
            Poor Recording;Poor Reading
            Schlechte Aufzeichnung;Unzureichende Aufzeichnung
            Mauvais enregistrement;Enregistrement de mauvaise qualité;Enregistrement médiocre;Enregistrement insuffisant
            Registro deficiente;Grabación deficiente;Mala grabación;Registro de mala calidad;Mal registro
            Registrazione scadente;Registrazione di scarsa qualità;Registrazione insufficiente
            Gravação ruim;Registro ruim;Má gravação;Gravação fraca;Registo fraco;Gravação de má qualidade
            Slechte opname;Slechte meting;Slechte registratie
            Dålig inspelning;Dålig registrering;Dålig mätning
            Dårlig optagelse;Dårlig måling;Dårligt optaget
            Dårlig opptak;Dårlig registrering
            Huono tallennus;Huono tallenne;Huono mittaus;Heikko tallenne
            Słabe nagranie;Słaby zapis;Słaba jakość zapisu;Zły zapis
            Špatný záznam;Nekvalitní záznam
            Zlý záznam;Nekvalitný záznam
            Gyenge felvétel;Rossz felvétel;Gyenge minőségű felvétel
            Înregistrare slabă;Înregistrare de slabă calitate;Înregistrare nereușită
            Κακή εγγραφή;Κακή καταγραφή;Ανεπαρκής εγγραφή;Ανεπαρκής καταγραφή
            Kötü Kayıt;Zayıf Kayıt;Yetersiz Kayıt
            Плохая запись;Плохое качество записи;Некачественная запись
            Поганий запис;Погана якість запису;Неякісний запис
            記録不良;不良な記録;不十分な記録;測定不良;記録不十分
            기록 불량;불량한 기록;부실한 기록;측정 불량
            记录不佳;记录不良;记录质量差;记录质量不佳;记录欠佳
            記錄不佳;紀錄不佳;記錄不良;記錄品質不佳;記錄欠佳
            การบันทึกไม่ดี;บันทึกไม่ดี;การบันทึกคุณภาพต่ำ
            Bản ghi kém;Bản ghi chất lượng kém;Ghi kém
            Rekaman Buruk;Perekaman Buruk
            Rakaman Lemah;Rakaman Buruk
            הקלטה לקויה;רישום לקוי;הקלטה גרועה;תיעוד לקוי
            تسجيل ضعيف;تسجيل رديء;تسجيل سيئ
            Loša snimka;Loš zapis;Slaba snimka
            Registre deficient;Enregistrament deficient;Mala gravació;Gravació deficient
            ख़राब रिकॉर्डिंग;खराब रिकॉर्डिंग
            """
        ),
        (
            .inconclusiveOther,
            """
            Inconclusive;Inconclusive Other
            Uneindeutig;Nicht eindeutig;Kein eindeutiges Ergebnis
            Non concluant;Résultat non concluant;Peu concluant
            No concluyente;Resultado no concluyente;Inconcluso
            Inconcludente;Non conclusivo;Non concludente;Risultato inconcludente
            Inconclusivo;Inconclusiva;Resultado inconclusivo
            Niet eenduidig;Geen uitsluitsel;Niet doorslaggevend;Geen duidelijk resultaat
            Ofullständigt resultat;Oklart;Oklart resultat;Inte entydigt;Ej entydigt;Inget tydligt resultat
            Ikke entydig;Ikke entydigt;Inkonklusiv;Inkonklusivt;Uafklaret;Usikkert resultat;Ikke avgjørende
            Epäselvä;Epäselvä tulos;Ei yksiselitteinen
            Niejednoznaczny;Niejednoznaczne;Wynik niejednoznaczny;Nierozstrzygający;Nierozstrzygnięte
            Neprůkazné;Neprůkazný;Neprůkazný výsledek;Nejednoznačné
            Nepreukazné;Nepreukazný;Nepreukazný výsledok
            Nem meggyőző;Nem egyértelmű;Nem egyértelmű eredmény;Eldöntetlen
            Neconcludent;Neconcludentă;Rezultat neconcludent
            Ασαφές;Ασαφές αποτέλεσμα;Μη οριστικό;Μη καταληκτικό
            Sonuçsuz;Belirsiz;Sonuç Belirsiz
            Неопределенный результат;Неопределенно;Не определено;Неоднозначный результат;Неубедительный результат
            Невизначений результат;Невизначено;Непереконливий;Непереконливий результат;Неоднозначний результат
            判定不能;判定不可;結果不確定;判定できません
            판정 불가;불확정;확정 불가;결론 없음;판단 불가;불확실
            不确定;无定论;结果不确定;未得出结论
            不確定;無法判定;無定論;無法確定
            สรุปผลไม่ได้;ไม่สามารถสรุปได้;ไม่สามารถสรุปผลได้;ไม่แน่ชัด
            Không thể kết luận;Không kết luận được;Không có kết luận;Chưa có kết luận;Không rõ kết quả
            Tidak Meyakinkan;Tidak Dapat Disimpulkan;Inkonklusif;Tidak Konklusif
            Tidak Muktamad
            לא חד-משמעי;לא חד-משמעית;תוצאה לא חד-משמעית;לא מכריע
            غير حاسم;غير حاسمة;نتيجة غير حاسمة;غير قاطع
            Neuvjerljivo;Neuvjerljiv rezultat;Bez zaključka;Neodređeno
            No concloent;Resultat no concloent;Inconcloent
            अनिर्णायक;अनिर्णीत
            """
        ),
    ]

    static let bounds: [(Electrocardiogram.Classification, String)] = [
        (
            .inconclusiveHighHeartRate,
            """
            Heart Rate Over;Heart Rate Above
            Herzfrequenz über
            Fréquence cardiaque supérieure à;Fréquence cardiaque au-dessus de;Fréquence cardiaque de plus de
            Frecuencia cardiaca superior a;Frecuencia cardiaca por encima de;Frecuencia cardiaca mayor a;Frecuencia cardiaca mayor de
            Frequenza cardiaca superiore a;Frequenza cardiaca oltre i;Frequenza cardiaca oltre
            Frequência cardíaca acima de;Frequência cardíaca superior a
            Hartslag boven;Hartslag hoger dan;Hartslag boven de
            Puls över;Hjärtfrekvens över
            Puls over;Hjertefrekvens over
            Syke yli
            Tętno powyżej
            Tepová frekvence nad;Tep nad
            Tepová frekvencia nad
            ЧСС выше;Пульс выше
            ЧСС вище;Пульс вище
            心拍数がを超える;心拍数がを超えています;心拍数が超
            심박수 초과;심박수가 초과
            心率高于;心率超过
            心率高於;心率超過
            """
        ),
        (
            .inconclusiveLowHeartRate,
            """
            Heart Rate Under;Heart Rate Below
            Herzfrequenz unter
            Fréquence cardiaque inférieure à;Fréquence cardiaque au-dessous de;Fréquence cardiaque de moins de
            Frecuencia cardiaca inferior a;Frecuencia cardiaca por debajo de;Frecuencia cardiaca menor a;Frecuencia cardiaca menor de
            Frequenza cardiaca inferiore a;Frequenza cardiaca sotto i;Frequenza cardiaca sotto
            Frequência cardíaca abaixo de;Frequência cardíaca inferior a
            Hartslag onder;Hartslag lager dan;Hartslag onder de
            Puls under;Hjärtfrekvens under;Hjertefrekvens under
            Syke alle
            Tętno poniżej
            Tepová frekvence pod;Tep pod
            Tepová frekvencia pod
            ЧСС ниже;Пульс ниже
            ЧСС нижче;Пульс нижче
            心拍数がを下回る;心拍数がを下回っています;心拍数が未満
            심박수 미만;심박수가 미만
            心率低于
            心率低於
            """
        ),
    ]
}
