"""What each language needs to write names, numbers, dates and plain sentences when no dictionary is installed."""

SHARES = {"en": 38, "de": 10, "fr": 8, "es": 7, "it": 5, "pt": 4, "nl": 4, "pl": 4, "cs": 3, "sv": 3, "ru": 5, "el": 3, "ar": 2, "zh": 3, "ja": 3}

# Thousands mark, decimal mark, currency, whether the currency stands before the number, pattern of a short date.
FORMATS = {
    "en": (",", ".", "$", True, "{m:02}/{d:02}/{y}"), "de": (".", ",", "€", False, "{d:02}.{m:02}.{y}"), "fr": (" ", ",", "€", False, "{d:02}/{m:02}/{y}"), "es": (".", ",", "€", False, "{d:02}/{m:02}/{y}"),
    "it": (".", ",", "€", True, "{d:02}/{m:02}/{y}"), "pt": (".", ",", "€", False, "{d:02}-{m:02}-{y}"), "nl": (".", ",", "€", True, "{d}-{m}-{y}"), "pl": (" ", ",", "zł", False, "{d:02}.{m:02}.{y}"),
    "cs": (" ", ",", "Kč", False, "{d}. {m}. {y}"), "sv": (" ", ",", "kr", False, "{y}-{m:02}-{d:02}"), "ru": (" ", ",", "₽", False, "{d:02}.{m:02}.{y}"), "el": (".", ",", "€", False, "{d:02}/{m:02}/{y}"),
    "ar": (",", ".", "ر.س", False, "{d:02}/{m:02}/{y}"), "zh": (",", ".", "¥", True, "{y}年{m}月{d}日"), "ja": (",", "", "¥", True, "{y}年{m}月{d}日"),
}

MONTHS = {
    "en": "January February March April May June July August September October November December", "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december", "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince", "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря", "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر", "zh": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}

DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo", "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica", "pt": "segunda terça quarta quinta sexta sábado domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela", "cs": "pondělí úterý středa čtvrtek pátek sobota neděle",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag", "ru": "понедельник вторник среда четверг пятница суббота воскресенье", "el": "Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή",
    "ar": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد", "zh": "星期一 星期二 星期三 星期四 星期五 星期六 星期日", "ja": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
}

GIVEN = {
    "en": "James Mary Robert Patricia John Jennifer David Linda William Susan Grace Oliver Emma Henry Alice Thomas Ruth Samuel Nora Daniel", "de": "Hans Anna Jürgen Sabine Klaus Petra Lukas Lena Stefan Käthe Jonas Greta Björn Ute",
    "fr": "Jean Marie Pierre Hélène Luc Chloé Rémi Élodie Benoît Agnès François Zoé", "es": "José María Antonio Carmen Luis Lucía Javier Begoña Íñigo Inés Andrés Pilar", "it": "Marco Giulia Luca Chiara Paolo Sofia Nicolò Elena Matteo Teresa",
    "pt": "João Maria António Inês Luís Beatriz Rui Conceição Nuno Sónia", "nl": "Jan Saskia Pieter Anouk Willem Femke Joost Lieke Daan Mieke", "pl": "Paweł Agnieszka Łukasz Małgorzata Tomasz Ewa Michał Zofia Stanisław Żaneta",
    "cs": "Jiří Jana Tomáš Kateřina Ondřej Lucie Zdeněk Eliška Václav Šárka", "sv": "Lars Åsa Erik Karin Björn Linnéa Göran Märta Anders Elin", "ru": "Иван Мария Сергей Ольга Дмитрий Анна Алексей Елена Павел Татьяна",
    "el": "Γιώργος Μαρία Νίκος Ελένη Δημήτρης Σοφία Κώστας Ιωάννα", "ar": "محمد فاطمة أحمد مريم علي خديجة يوسف ليلى حسن نور", "zh": "伟 芳 娜 秀英 敏 静 强 磊 洋 艳", "ja": "太郎 花子 健一 由美 翔 さくら 誠 恵子 大輔 美咲",
}

FAMILY = {
    "en": "Smith Johnson Williams Brown Jones Garcia Miller Davis O'Brien McCarthy Thompson Walker Hughes Carter Edwards Whitfield Ashby Pemberton Lowell Haversham", "de": "Müller Schmidt Schneider Weber Fröhlich Groß Jäger Köhler Schäfer Vogel Brandt Lindenmüller",
    "fr": "Martin Dubois Lefèvre Moreau Girard Bérard Château Noël Fournier Gauthier", "es": "García Fernández López Muñoz Peña Ibáñez Castaño Ruiz Navarro Ortega", "it": "Rossi Bianchi Ferrari Esposito D'Angelo Conti Galli Marchetti",
    "pt": "Silva Santos Ferreira Gonçalves Magalhães Araújo Leitão Simões", "nl": "Jansen Bakker Visser Smit Mulder Hoekstra Dijkstra Vermeulen", "pl": "Nowak Kowalski Wiśniewski Wójcik Zieliński Kamiński Dąbrowski Łuczak",
    "cs": "Novák Svoboda Dvořák Černý Procházka Kučera Veselý Růžička", "sv": "Andersson Johansson Lindström Sjöberg Öberg Håkansson Nyström", "ru": "Иванов Смирнов Кузнецов Попов Соколов Лебедев Козлов Щербаков", "el": "Παπαδόπουλος Γεωργίου Νικολάου Αντωνίου Μακρής Βλάχος",
    "ar": "العلي الحسن الأنصاري الشريف المصري القاسم الخطيب", "zh": "王 李 张 刘 陈 杨 黄 赵 周 吴", "ja": "佐藤 鈴木 高橋 田中 渡辺 伊藤 山本 中村",
}

CITIES = {
    "en": "Springfield Bristol Leeds Portland Dublin Halifax Wellington Ashford Cambridge Austin Denver Norwich", "de": "Köln München Lübeck Würzburg Kassel Zürich Graz Göttingen", "fr": "Lyon Nîmes Orléans Besançon Rennes Genève Liège", "es": "Madrid Sevilla Málaga Gijón Córdoba Bogotá",
    "it": "Torino Bologna Forlì Padova Cagliari Lecce", "pt": "Lisboa Porto Évora Coimbra Setúbal", "nl": "Utrecht Leiden Groningen Gent Breda", "pl": "Kraków Łódź Gdańsk Wrocław Poznań", "cs": "Praha Brno Plzeň Olomouc Liberec", "sv": "Malmö Göteborg Västerås Umeå Örebro",
    "ru": "Москва Казань Тверь Новосибирск Псков", "el": "Αθήνα Θεσσαλονίκη Πάτρα Βόλος", "ar": "القاهرة الرياض عمّان الدار‌البيضاء دبي", "zh": "北京 上海 广州 成都 杭州 南京", "ja": "東京 大阪 京都 札幌 福岡 名古屋",
}

STREETS = {
    "en": "{n} Mill Road|{n} Station Street|{n} Oak Avenue|{n} Harbour View, Suite {s}|{n} High Street|P.O. Box {n}", "de": "Hauptstraße {n}|Lindenweg {n}|Am Markt {n}|Schillerstr. {n}", "fr": "{n}, rue de la République|{n} bis, avenue Foch|{n}, place de l'Église", "es": "Calle Mayor, {n}|Avda. de la Constitución, {n}, {s}.º B",
    "it": "Via Garibaldi, {n}|Piazza Dante, {n}|Corso Italia {n}/A", "pt": "Rua das Flores, {n}, {s}.º Esq.|Av. da Liberdade, {n}", "nl": "Kerkstraat {n}|Nieuwegracht {n}-{s}", "pl": "ul. Długa {n}/{s}|al. Jana Pawła II {n}", "cs": "Dlouhá {n}/{s}|Náměstí Míru {n}", "sv": "Storgatan {n}|Björkvägen {n}",
    "ru": "ул. Ленина, д. {n}, кв. {s}|Садовая ул., {n}", "el": "Ερμού {n}|Λεωφ. Κηφισίας {n}", "ar": "شارع النيل {n}|طريق الملك فهد {n}", "zh": "中山路{n}号|人民大道{n}号{s}室", "ja": "中央町{s}-{n}|本町{s}丁目{n}番地",
}

SMALL = {
    "en": "the of and to in a is that for it as was with be by on not this are which from or an have at their between after its", "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus", "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur",
    "es": "de la que el en y a los se del las un por con no una su para es al lo", "it": "di e il la che in a per un è del non una i le si da con", "pt": "de a o que e do da em um para é com não uma os no se na por", "nl": "de van een het en in is dat op te zijn voor met niet aan er om ook als",
    "pl": "w i na z do się nie że to jest o jak po a co za od przez przy dla", "cs": "a v se na je že o s z do i k za po pro ve by ale jako", "sv": "och i att det som en på är av för med den till inte om har de ett", "ru": "и в не на что с по как это из у за для от к его но при так также",
    "el": "και το να του η της με που από για την οι είναι στο δεν τα των σε", "ar": "في من على أن إلى عن مع هذا التي كان هذه الذي بين بعد كل", "zh": "的 和 在 是 了 与 对 为 将 由", "ja": "の を に が は で と も から まで",
}

CONTENT = {
    "en": "report system water market region value method growth council record network member capital early common local several public notable change agreement measure supply season standard study village process energy report sample pressure journey building language",
    "de": "Bericht Wasser Verfahren Gemeinde Entwicklung Bereich Vertrag Messung Übersicht Ergebnis Straße Größe Anlage Woche Leistung wichtig neu öffentlich früh gemeinsam bleiben zeigen führen",
    "fr": "rapport système eau marché région valeur méthode croissance conseil réseau énergie accord période étude public ancien général premier prévoir établir", "es": "informe sistema agua mercado región valor método consejo energía acuerdo período estudio público general año niño señal establecer",
    "it": "relazione sistema acqua mercato regione valore metodo crescita consiglio rete energia accordo periodo studio pubblico attività città", "pt": "relatório sistema água mercado região valor método crescimento conselho rede energia acordo período estudo público função informação",
    "nl": "verslag systeem water markt gebied waarde methode groei raad netwerk energie akkoord periode onderzoek openbaar nieuwe gemeente", "pl": "raport system woda rynek obszar wartość metoda wzrost rada sieć energia umowa okres badanie publiczny główny żądanie",
    "cs": "zpráva systém voda trh oblast hodnota metoda růst rada síť energie smlouva období výzkum veřejný důležitý možnost", "sv": "rapport system vatten marknad område värde metod tillväxt råd nätverk energi avtal period undersökning offentlig större möjlighet",
    "ru": "отчёт система вода рынок область значение метод рост совет сеть энергия договор период исследование общий новый первый работа развитие", "el": "έκθεση σύστημα νερό αγορά περιοχή αξία μέθοδος ανάπτυξη συμβούλιο δίκτυο ενέργεια συμφωνία έρευνα δημόσιος νέος",
    "ar": "تقرير نظام ماء سوق منطقة قيمة طريقة نمو مجلس شبكة طاقة اتفاق فترة دراسة عام جديد", "zh": "报告 系统 水资源 市场 地区 价值 方法 增长 委员会 网络 能源 协议 时期 研究 公共 发展 技术 管理 数据 分析", "ja": "報告 システム 水 市場 地域 価値 方法 成長 会議 ネットワーク 電力 契約 期間 研究 公共 開発 技術 管理 データ 分析",
}

# Debian packages whose word lists are read when they were downloaded: package, path in it, encoding.
DICTIONARIES = {
    "en": ("wamerican", "usr/share/dict/american-english", "utf-8"), "de": ("wngerman", "usr/share/dict/ngerman", "utf-8"), "fr": ("wfrench", "usr/share/dict/french", "utf-8"), "es": ("wspanish", "usr/share/dict/spanish", "utf-8"),
    "it": ("witalian", "usr/share/dict/italian", "utf-8"), "pt": ("wportuguese", "usr/share/dict/portuguese", "utf-8"), "nl": ("wdutch", "usr/share/dict/dutch", "utf-8"), "pl": ("wpolish", "usr/share/dict/polish", "utf-8"),
    "cs": ("hunspell-cs", "usr/share/hunspell/cs_CZ.dic", "iso-8859-2"), "sv": ("wswedish", "usr/share/dict/swedish", "utf-8"), "ru": ("hunspell-ru", "usr/share/hunspell/ru_RU.dic", "utf-8"),
    "el": ("hunspell-el", "usr/share/hunspell/el_GR.dic", "utf-8"), "ar": ("hunspell-ar", "usr/share/hunspell/ar.dic", "utf-8"), "ja": ("skkdic", "usr/share/skk/SKK-JISYO.L", "euc-jp"),
}
