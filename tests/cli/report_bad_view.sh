# Every view there is is named, as --view help lists them.
pitwall report --view time run.pit 2>said
echo "status $?"
views=$(pitwall report --view help | paste -sd, | sed 's/,/, /g')
sed "s/not one of $views\$/not one of ALL VIEWS/" said
